"""Random problems, mutated files and answers, and what holds for every one of them.

`python -m tests.fuzzing --seed 1 --minutes 60` is a long run by hand, `--only 17` one try of it again; a short run
is among the tests.

writing      numbers and matrices as people write them
draft        a problem file under construction
sources      what is given: tokens, queries, scores, for one head or several
settings     how it is computed
words        what it is called, what is asked, how it is marked and shown
problems     a whole problem file, every key beside every other
mutations    files and answers that went wrong on the way
reading      a problem file read without the program
reference    its steps in NumPy, without the program, with scoring, masks, blocks and slopes
commands     the program run in this process, within its time
outputs      what it writes, read back
answers      right answers and wrong ones, from a solution
comparing    the same numbers by several ways, with worked lines
checks       what holds for every problem, with rendering and marking
trying       a run: seeds, counts, and what it found
cases        the faults found so far: the exit code and the command first, then the problem
"""
