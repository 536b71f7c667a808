cd /tmp/job/hevas; diff -rq base $1; 
