-------------------------------- MODULE Fold --------------------------------
(* Region folding (docs/understand/folding.md): one root thread, the workers of its fold, and the runtime as far
   as the two can tell. Memory is sequentially consistent and falling asleep is one step with the last look:
   weak memory is tests/model's and algorithms.cpp's part, this is the protocol's. The names in brackets are
   those of runtime-hooks/folding and waiting/; those that begin with k are clauses of folding/contract.h.

   Each rule is a constant. The protocol has them all; with any one of them FALSE TLC finds an error. *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Workers,      \* the fold's threads but the primary one
  MaxRegions,   \* regions that the program runs in folds
  MaxTasks,     \* tasks that the regions' threads create
  MaxExplicit,  \* explicit tasks that the root thread runs outside of all regions
  MaxForks,
  \* Rules
  OnlyRootOpens,         \* a fold is opened only in the root thread's initial implicit task [kInitialTask]
  TasksCloseFirst,       \* a thread that creates a task outside of regions closes the fold before [kSerial]
  ForkClosesFirst,       \* so does one that calls fork() [kForked]
  EndClosesFirst,        \* and the thread's end [kEnded]
  ChildLeavesItsRegion,  \* in the child of a fork in a region no thread is waited for [gone_]
  OrderBeforeRelease,    \* an order is written before it is announced
  LeaveOrderGiven,       \* a fold is closed by an order to leave [dismiss]
  ReleaseWakes, ArrivalWakes, CallOffWakes,
  EpisodesCompared,      \* a call-off names an instance; it is no flag
  CalledOffBeforeArrival,\* a thread calls an instance off before it arrives there
  ReleaseTells           \* a thread that has left a gather learns at the next release that it was called off [ended_by]

Primary == "primary"
Threads == Workers \cup {Primary}
MaxEpisode == 2 * MaxRegions + MaxRegions + 1
None == 0

VARIABLES
  ctx,       \* the root thread's task: 0 the initial implicit one, else an explicit one
  begun,     \* explicit tasks so far
  forks,
  fold,      \* "closed", "open", "closing"; "left": by a child, never to be closed
  opener,    \* the task that opened it
  pc,
  asleep,
  ep,        \* instances that a thread has come to [Member::episode]
  gathered,  \* the gather that a worker left without knowing whether all could
  order,     \* [order_]
  released,  \* [announced]
  arrived,
  off,       \* the instance that was called off [CallOff::once_]
  pending,   \* tasks that no thread has run yet
  created,
  regions,   \* begun in folds
  ran,       \* bodies run by each worker
  path       \* ways by which threads left each gather
vars == <<ctx, begun, forks, fold, opener, pc, asleep, ep, gathered, order, released, arrived, off, pending,
          created, regions, ran, path>>
program == <<ctx, begun, forks, fold, opener>>
tasks == <<off, pending, created>>

Init ==
  /\ ctx = 0 /\ begun = 0 /\ forks = 0
  /\ fold = "closed" /\ opener = 0
  /\ pc = [t \in Threads |-> IF t = Primary THEN "serial" ELSE "pool"]
  /\ asleep = {}
  /\ ep = [t \in Threads |-> 0]
  /\ gathered = [w \in Workers |-> None]
  /\ order = [leave |-> FALSE, region |-> 0]
  /\ released = 0
  /\ arrived = [w \in Workers |-> 0]
  /\ off = None /\ pending = 0 /\ created = 0
  /\ regions = 0
  /\ ran = [w \in Workers |-> 0]
  /\ path = [e \in 1..MaxEpisode |-> {}]

IsCalledOff(e) == e # None /\ IF EpisodesCompared THEN off = e ELSE off # None
Goes(t, place) == pc' = [pc EXCEPT ![t] = place]
TakesPath(e, way) == IF e = None THEN path ELSE [path EXCEPT ![e] = @ \cup {way}]
Sleeps(t) == asleep' = asleep \cup {t}
Awake(t) == t \notin asleep

-----------------------------------------------------------------------------
(* The program, in its serial part. Whatever else closes a fold there is Close. *)

BeginTask ==
  /\ pc[Primary] = "serial" /\ ctx = 0 /\ begun < MaxExplicit
  /\ TasksCloseFirst => fold # "open"
  /\ begun' = begun + 1 /\ ctx' = begun + 1
  /\ UNCHANGED <<forks, fold, opener, pc, asleep, ep, gathered, order, released, arrived, tasks, regions, ran,
                 path>>

EndTask ==  \* no entry point tells of it
  /\ pc[Primary] = "serial" /\ ctx # 0
  /\ ctx' = 0
  /\ UNCHANGED <<begun, forks, fold, opener, pc, asleep, ep, gathered, order, released, arrived, tasks,
                 regions, ran, path>>

BeginRegion ==  \* in the fold; where none may be opened the region is the runtime's and no step here
  /\ pc[Primary] = "serial" /\ regions < MaxRegions
  /\ \/ /\ fold = "open"
        /\ Goes(Primary, "hand out")
        /\ UNCHANGED <<fold, opener, gathered>>
     \/ /\ fold = "closed"
        /\ OnlyRootOpens => ctx = 0
        /\ fold' = "open" /\ opener' = ctx
        /\ pc' = [t \in Threads |-> IF t = Primary THEN "hand out" ELSE "wait"]
        /\ gathered' = [w \in Workers |-> None]
  /\ order' = [order EXCEPT !.leave = FALSE]
  /\ UNCHANGED <<ctx, begun, forks, asleep, ep, released, arrived, tasks, regions, ran, path>>

Close ==
  /\ pc[Primary] = "serial" /\ fold = "open"
  /\ fold' = "closing"
  /\ IF LeaveOrderGiven
     THEN Goes(Primary, "release") /\ order' = [order EXCEPT !.leave = TRUE]
     ELSE Goes(Primary, "join") /\ UNCHANGED order
  /\ UNCHANGED <<ctx, begun, forks, opener, asleep, ep, gathered, released, arrived, tasks, regions, ran,
                 path>>

Join ==  \* the runtime's, for which all threads have to come
  /\ pc[Primary] = "join" /\ \A w \in Workers : pc[w] = "left"
  /\ fold' = "closed"
  /\ pc' = [t \in Threads |-> IF t = Primary THEN "serial" ELSE "pool"]
  /\ UNCHANGED <<ctx, begun, forks, opener, asleep, ep, gathered, order, released, arrived, tasks, regions,
                 ran, path>>

Fork ==  \* we go on as the child, whose only thread is the one that forked; the parent is every other run
  /\ pc[Primary] \in {"serial", "run"} /\ forks < MaxForks
  /\ (pc[Primary] = "serial" /\ ForkClosesFirst) => fold # "open"
  /\ forks' = forks + 1
  /\ pc' = [t \in Threads |-> IF t = Primary THEN pc[t] ELSE IF fold = "open" THEN "none" ELSE "pool"]
  /\ asleep' = {}
  /\ UNCHANGED <<ctx, begun, fold, opener, ep, gathered, order, released, arrived, tasks, regions, ran, path>>

End ==
  /\ pc[Primary] = "serial" /\ ctx = 0
  /\ EndClosesFirst => fold # "open"
  /\ Goes(Primary, "ended")
  /\ UNCHANGED <<program, asleep, ep, gathered, order, released, arrived, tasks, regions, ran, path>>

-----------------------------------------------------------------------------
(* The primary thread in a region. *)

WriteOrder ==
  /\ order' = [order EXCEPT !.region = regions + 1]
  /\ regions' = regions + 1
  /\ UNCHANGED <<released, ep, asleep>>
Announce ==
  /\ released' = ep[Primary] + 1
  /\ ep' = [ep EXCEPT ![Primary] = @ + 1]
  /\ asleep' = IF ReleaseWakes THEN asleep \ Workers ELSE asleep
  /\ UNCHANGED <<order, regions>>

HandOut ==
  /\ pc[Primary] = "hand out"
  /\ Goes(Primary, "release")
  /\ IF OrderBeforeRelease THEN WriteOrder ELSE Announce
  /\ UNCHANGED <<program, gathered, arrived, tasks, ran, path>>
Release ==
  /\ pc[Primary] = "release"
  /\ Goes(Primary, IF fold = "closing" THEN "join" ELSE "run")
  /\ IF OrderBeforeRelease \/ fold = "closing" THEN Announce ELSE WriteOrder
  /\ UNCHANGED <<program, gathered, arrived, tasks, ran, path>>

HasWorkers == \A w \in Workers : pc[w] # "none"

EndBody ==
  /\ pc[Primary] = "run"
  /\ IF ~HasWorkers /\ ChildLeavesItsRegion
     THEN Goes(Primary, "serial") /\ fold' = "left" /\ UNCHANGED ep
     ELSE Goes(Primary, "gather") /\ ep' = [ep EXCEPT ![Primary] = @ + 1] /\ UNCHANGED fold
  /\ UNCHANGED <<ctx, begun, forks, opener, asleep, gathered, order, released, arrived, tasks, regions, ran,
                 path>>

Gather ==
  /\ pc[Primary] = "gather" /\ Awake(Primary)
  /\ IF IsCalledOff(ep[Primary])
     THEN Goes(Primary, "real") /\ UNCHANGED <<asleep, path>>
     ELSE IF \A w \in Workers : arrived[w] >= ep[Primary]
          THEN Goes(Primary, "serial") /\ path' = TakesPath(ep[Primary], "ours") /\ UNCHANGED asleep
          ELSE Sleeps(Primary) /\ UNCHANGED <<pc, path>>
  /\ UNCHANGED <<program, ep, gathered, order, released, arrived, tasks, regions, ran>>

-----------------------------------------------------------------------------
(* Any thread in a region, and the real barrier. *)

Create(t) ==  \* before its arrival; or, without that rule, after it
  /\ created < MaxTasks
  /\ IF CalledOffBeforeArrival THEN pc[t] = "run" ELSE pc[t] \in {"run", "arrived"}
  /\ HasWorkers
  /\ created' = created + 1 /\ pending' = pending + 1
  /\ off' = IF pc[t] = "run" THEN ep[t] + 1 ELSE ep[t]
  /\ asleep' = IF CallOffWakes THEN {} ELSE asleep
  /\ UNCHANGED <<program, pc, ep, gathered, order, released, arrived, regions, ran, path>>

RealBarrier ==  \* runs the tasks that are there, and lets all go together
  /\ \A t \in Threads : pc[t] = "real"
  /\ pc' = [t \in Threads |-> IF t = Primary THEN "serial" ELSE "wait"]
  /\ gathered' = [w \in Workers |-> None]
  /\ path' = TakesPath(ep[Primary], "real")
  /\ pending' = 0
  /\ off' = IF EpisodesCompared THEN off ELSE None
  /\ UNCHANGED <<program, asleep, ep, order, released, arrived, created, regions, ran>>

-----------------------------------------------------------------------------
(* A worker. *)

Look(w) ==
  /\ pc[w] = "wait" /\ Awake(w)
  /\ IF ReleaseTells /\ IsCalledOff(gathered[w])
     THEN Goes(w, "real") /\ UNCHANGED <<ep, asleep, path>>
     ELSE IF released > ep[w]
          THEN /\ Goes(w, "take")
               /\ ep' = [ep EXCEPT ![w] = @ + 1]
               /\ path' = TakesPath(gathered[w], "ours")
               /\ UNCHANGED asleep
          ELSE Sleeps(w) /\ UNCHANGED <<pc, ep, path>>
  /\ UNCHANGED <<program, gathered, order, released, arrived, tasks, regions, ran>>

Take(w) ==
  /\ pc[w] = "take"
  /\ IF order.leave
     THEN Goes(w, "left") /\ UNCHANGED ran
     ELSE Goes(w, "run") /\ ran' = [ran EXCEPT ![w] = @ + 1]
  /\ UNCHANGED <<program, asleep, ep, gathered, order, released, arrived, tasks, regions, path>>

Arrive(w) ==
  /\ pc[w] = "run"
  /\ Goes(w, "arrived")
  /\ ep' = [ep EXCEPT ![w] = @ + 1]
  /\ arrived' = [arrived EXCEPT ![w] = ep[w] + 1]
  /\ asleep' = IF ArrivalWakes THEN asleep \ {Primary} ELSE asleep
  /\ UNCHANGED <<program, gathered, order, released, tasks, regions, ran, path>>

GoOn(w) ==
  /\ pc[w] = "arrived"
  /\ IF IsCalledOff(ep[w])
     THEN Goes(w, "real") /\ gathered' = [gathered EXCEPT ![w] = None]
     ELSE Goes(w, "wait") /\ gathered' = [gathered EXCEPT ![w] = ep[w]]
  /\ UNCHANGED <<program, asleep, ep, order, released, arrived, tasks, regions, ran, path>>

-----------------------------------------------------------------------------
PrimarySteps == BeginTask \/ EndTask \/ BeginRegion \/ Close \/ Join \/ Fork \/ End \/ HandOut \/ Release
                \/ EndBody \/ Gather
WorkerSteps(w) == pc[w] # "none" /\ (Look(w) \/ Take(w) \/ Arrive(w) \/ GoOn(w))
AtRest == pc[Primary] = "ended" /\ \A w \in Workers : pc[w] \in {"pool", "none"}

Next ==
  \/ PrimarySteps \/ RealBarrier
  \/ \E w \in Workers : WorkerSteps(w)
  \/ \E t \in Threads : Create(t)
  \/ AtRest /\ UNCHANGED vars

Fairness == WF_vars(PrimarySteps) /\ WF_vars(RealBarrier) /\ \A w \in Workers : WF_vars(WorkerSteps(w))
Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Nothing bad. *)

\* [kClosed]
ClosedByItsOpener == fold = "closing" => ctx = opener

SamePath == \A e \in 1..MaxEpisode : Cardinality(path[e]) <= 1

\* All are at the real barrier for the same instance.
OneRealBarrier == \A s, t \in Threads : pc[s] = "real" /\ pc[t] = "real" => ep[s] = ep[t]

\* A worker runs each region once and none that is not there; when a region has ended, all have run it.
EachRegionOnce ==
  /\ \A w \in Workers : pc[w] = "run" => ran[w] = order.region
  /\ pc[Primary] = "serial" /\ fold = "open" /\ HasWorkers => \A w \in Workers : ran[w] = regions

\* A region has not ended before its tasks have.
TasksAreRun == pc[Primary] = "serial" /\ HasWorkers => pending = 0

(* Something good. *)

RegionsEnd == pc[Primary] \in {"hand out", "release", "run", "gather", "real"} ~> pc[Primary] = "serial"
CloseEnds == fold = "closing" ~> fold = "closed"
RealBarriersEnd == \A t \in Threads : pc[t] = "real" ~> pc[t] # "real"
AllEnds == <>AtRest
=============================================================================
