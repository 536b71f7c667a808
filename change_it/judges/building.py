
import torch
from transformers import AutoConfig, AutoModel, AutoTokenizer

from change_it.judges.encoder import *


def fold_piece(tok):
    vocab=tok.get_vocab(); n=max(vocab.values())+1
    wp=any(t.startswith('##') for t in vocab)
    special=set(tok.all_special_tokens)
    num=torch.zeros(n,dtype=torch.int64); ln=num.clone(); kind=num.clone()
    for t,i in vocab.items():
        if t in special: continue
        if wp: cont=t.startswith('##'); s=t[2:] if cont else t
        else: cont=t[:1] not in 'Ġ▁'; s=t.lstrip('Ġ▁')
        s=''.join(c for c in s.lower() if c.isalnum())
        if s: num[i]=piece_number(s); ln[i]=len(s); kind[i]=2 if cont else 1
    return num,ln,kind
def fit_idf(model,tok,texts,L=400):
    df=torch.zeros(model.config.word_buckets); N=0
    with torch.inference_mode():
        for i in range(0,len(texts),64):
            e=tok([t[:L*6] for t in texts[i:i+64]],truncation=True,max_length=L,padding=True,return_tensors='pt',return_attention_mask=True)
            b,s,_=model.words(e['input_ids']); s&=e['attention_mask']>0
            df+=torch.zeros(len(b),len(df)).scatter_(1,b*s,1.).sum(0)
            N+=len(e['input_ids'])
    model.idf.copy_(torch.log((1+N)/(1+df)))
def build_pair(path,texts,**kw):
    tok=AutoTokenizer.from_pretrained(path); tok.model_max_length=10**6
    ec=AutoConfig.from_pretrained(path)
    c=PairJudgeConfig(encoder=ec,separator_token_id=tok.sep_token_id,**kw)
    m=PairJudgeForSequenceClassification(c)
    m.encoder.load_state_dict(AutoModel.from_pretrained(path).state_dict())
    for n,v in zip(('piece_numbers','piece_lengths','piece_kinds'),fold_piece(tok)): getattr(m,n)[:len(v)].copy_(v)
    nn.init.zeros_(m.match.weight)
    nn.init.zeros_(m.classifier.weight);nn.init.zeros_(m.classifier.bias)
    fit_idf(m,tok,texts)
    return m,tok
