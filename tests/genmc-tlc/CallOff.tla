------------------------------ MODULE CallOff ------------------------------
(* A team at Muster's barriers, and how a thread that creates a task calls an instance off (waiting/call_off.h): all go
   on to the real barrier then, or none. The barrier is the deepest tree there is, a chain: arrivals are passed on
   up to thread 1, the release down from it, and a thread that leaves because of a call-off passes nothing on.
   Fold.tla has the same for the halves of a barrier. Memory is sequentially consistent, and falling asleep is one step with the
   last look. Each rule is a constant, as there. *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Team, Instances,
  MaxTasks,    \* created by any thread
  MaxLasting,  \* of those that stay pending across instances: detached, target nowait
  \* Rules
  SignalWakes, CallOffWakes,
  EpisodesCompared,        \* a call-off names an instance; it is no flag
  CalledOffBeforeArrival,  \* a thread calls an instance off before it arrives there
  ReleasedLookToo          \* a released thread checks whether the instance was called off

Threads == 1..Team

VARIABLES
  pc,       \* "code"; "up", "down": waits for the one below or above; "pass": passes the release on; "leave";
            \* "real": at the real barrier; "ended"
  up, down, \* the last instances that each has passed up, and that was passed down to it
  ep,       \* instances that a thread has come to
  asleep,
  off,      \* the instance called off [once_]
  from,     \* that and all later ones [from_]; 0: none
  pending,  \* the instances by which a task has to be run
  created, lasting,
  path      \* ways by which threads left each instance
vars == <<pc, up, down, ep, asleep, off, from, pending, created, lasting, path>>

Init ==
  /\ pc = [t \in Threads |-> "code"] /\ ep = [t \in Threads |-> 0]
  /\ up = [t \in Threads |-> 0] /\ down = [t \in Threads |-> 0]
  /\ asleep = {} /\ off = 0 /\ from = 0 /\ pending = {} /\ created = 0 /\ lasting = 0
  /\ path = [e \in 1..Instances |-> {}]

IsCalledOff(e) == (IF EpisodesCompared THEN off = e ELSE off # 0) \/ (from # 0 /\ from <= e)
AllAreAt(e) == \A t \in Threads : ep[t] >= e
IsInside(t) == pc[t] \in {"up", "down", "pass", "leave"}
NextOf(t) == IF IsInside(t) THEN ep[t] ELSE ep[t] + 1
After(t) == IF ep[t] = Instances THEN "ended" ELSE "code"

Create(t) ==
  /\ created < MaxTasks
  /\ \/ pc[t] = "code" /\ ep[t] < Instances
     \/ ~CalledOffBeforeArrival /\ IsInside(t)
  /\ created' = created + 1
  /\ pending' = pending \cup {NextOf(t)}
  /\ off' = NextOf(t)
  /\ asleep' = IF CallOffWakes THEN {} ELSE asleep
  /\ UNCHANGED <<pc, up, down, ep, from, lasting, path>>

CreateLasting(t) ==
  /\ lasting < MaxLasting /\ pc[t] = "code" /\ ep[t] < Instances /\ from = 0
  /\ lasting' = lasting + 1
  /\ from' = ep[t] + 1
  /\ asleep' = IF CallOffWakes THEN {} ELSE asleep
  /\ UNCHANGED <<pc, up, down, ep, off, pending, created, path>>

Arrive(t) ==
  /\ pc[t] = "code"
  /\ pc' = [pc EXCEPT ![t] = "up"]
  /\ ep' = [ep EXCEPT ![t] = @ + 1]
  /\ UNCHANGED <<up, down, asleep, off, from, pending, created, lasting, path>>

\* A wait, as in waiting/waiter.h: it ends when it holds, or else when the instance was called off.
Waits(t, holds) ==
  /\ ~holds
  /\ IF IsCalledOff(ep[t])
     THEN pc' = [pc EXCEPT ![t] = "real"] /\ UNCHANGED asleep
     ELSE asleep' = asleep \cup {t} /\ UNCHANGED pc
  /\ UNCHANGED <<up, down>>
Wakes(t) == asleep' = IF SignalWakes THEN asleep \ {t} ELSE asleep

Up(t) ==
  /\ pc[t] = "up" /\ t \notin asleep
  /\ LET holds == IF t = Team THEN TRUE ELSE up[t + 1] >= ep[t] IN
     \/ Waits(t, holds)
     \/ /\ holds
        /\ up' = [up EXCEPT ![t] = ep[t]]
        /\ pc' = [pc EXCEPT ![t] = IF t = 1 THEN "pass" ELSE "down"]
        /\ Wakes(t - 1)
        /\ UNCHANGED down
  /\ UNCHANGED <<ep, off, from, pending, created, lasting, path>>

Down(t) ==
  /\ pc[t] = "down" /\ t \notin asleep
  /\ LET holds == down[t] >= ep[t] IN
     \/ Waits(t, holds)
     \/ holds /\ pc' = [pc EXCEPT ![t] = "pass"] /\ UNCHANGED <<up, down, asleep>>
  /\ UNCHANGED <<ep, off, from, pending, created, lasting, path>>

Pass(t) ==
  /\ pc[t] = "pass"
  /\ pc' = [pc EXCEPT ![t] = "leave"]
  /\ down' = IF t = Team THEN down ELSE [down EXCEPT ![t + 1] = ep[t]]
  /\ Wakes(t + 1)
  /\ UNCHANGED <<up, ep, off, from, pending, created, lasting, path>>

Leave(t) ==
  /\ pc[t] = "leave"
  /\ IF ReleasedLookToo /\ IsCalledOff(ep[t])
     THEN pc' = [pc EXCEPT ![t] = "real"] /\ UNCHANGED path
     ELSE pc' = [pc EXCEPT ![t] = After(t)] /\ path' = [path EXCEPT ![ep[t]] = @ \cup {"ours"}]
  /\ UNCHANGED <<up, down, ep, asleep, off, from, pending, created, lasting>>

RealBarrier ==
  /\ \A t \in Threads : pc[t] = "real"
  /\ LET e == CHOOSE e \in {ep[t] : t \in Threads} : TRUE IN
     /\ pending' = pending \ {e}
     /\ path' = [path EXCEPT ![e] = @ \cup {"real"}]
  /\ pc' = [t \in Threads |-> After(t)]
  /\ off' = IF EpisodesCompared THEN off ELSE 0
  /\ UNCHANGED <<up, down, ep, asleep, from, created, lasting>>

AtRest == \A t \in Threads : pc[t] = "ended"
Steps(t) == Arrive(t) \/ Up(t) \/ Down(t) \/ Pass(t) \/ Leave(t)
NextStep ==
  \/ \E t \in Threads : Steps(t) \/ Create(t) \/ CreateLasting(t)
  \/ RealBarrier
  \/ AtRest /\ UNCHANGED vars
Spec == Init /\ [][NextStep]_vars /\ WF_vars(RealBarrier) /\ \A t \in Threads : WF_vars(Steps(t))

-----------------------------------------------------------------------------
HasLeft(t) == pc[t] \in {"code", "ended"}
NoThreadLeavesEarly == \A t \in Threads : HasLeft(t) => AllAreAt(ep[t])
SamePath == \A e \in 1..Instances : Cardinality(path[e]) <= 1
OneRealBarrier == \A s, t \in Threads : pc[s] = "real" /\ pc[t] = "real" => ep[s] = ep[t]
TasksAreRun == \A t \in Threads : HasLeft(t) => \A e \in pending : e > ep[t]

RealBarriersEnd == \A t \in Threads : pc[t] = "real" ~> pc[t] # "real"
AllEnds == <>AtRest
=============================================================================
