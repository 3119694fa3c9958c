"""The rules of Decreto 11.135/1978, one module a topic. They see facts and the law, nothing else."""
