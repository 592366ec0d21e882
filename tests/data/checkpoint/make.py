# SPDX-License-Identifier: Apache-2.0
# Writes the two files beside it with the installed torch: usage: make.py FOLDER
import torch, collections, sys
out=sys.argv[1]
base=torch.arange(24,dtype=torch.float32).reshape(4,6)
d=collections.OrderedDict()
d['plain']=torch.arange(6,dtype=torch.float32).reshape(2,3)
d['transposed']=base.t()
d['window']=base[1:3,2:5]
d['tied']=base
d['parameter']=torch.nn.Parameter(torch.tensor([1.5,-2.0]))
d['scalar']=torch.tensor(7)
d['none']=torch.empty(0,3)
for name,t in dict(f64=torch.float64,f16=torch.float16,bf16=torch.bfloat16,i64=torch.int64,i32=torch.int32,i16=torch.int16,i8=torch.int8,u8=torch.uint8).items():
    d[name]=torch.arange(5).to(t)
d['flags']=torch.tensor([True,False,True])
d._metadata=collections.OrderedDict({'':{'version':1}})
torch.save(d,out+'/protocol2.ckpt')
torch.save(dict(state_dict=d,epoch=3,lr=0.5,big=2**40,names=['a','b'],flag=True,nothing=None),out+'/protocol4.ckpt',pickle_protocol=4)
