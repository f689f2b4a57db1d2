import { Clock, Duration, Effect, FiberSet, Latch, type Scope } from "effect"

/** A job on which this process holds a lease. */
export interface Leased<Job> {
  readonly job: Job
  /** Milliseconds since 1970. Until then no other process can claim the job; 0 once the lease is lost. */
  until: number
}

/**
 * Due work in a table, provided by a slice, such as deliveries, commands or schedules. The table needs a due time and a claim
 * (a UUID): claiming sets both, releasing clears the claim, and a due time in the past makes a job claimable.
 */
export interface JobSource<Job> {
  /** Named in logs and spans. */
  readonly name: string
  /** How long `claim` and `renew` keep other processes away. A dead process's jobs are claimed again after this. */
  readonly lease: Duration.Input
  /** How often to look for work that `wake` did not announce: retries that are due, jobs of other processes. */
  readonly poll: Duration.Input
  /** How long a stop waits for the jobs that are running. */
  readonly patience: Duration.Input
  /** Leases due jobs, as many as there is room for: concurrency is limited here. `FOR UPDATE SKIP LOCKED` keeps processes apart. */
  readonly claim: Effect.Effect<ReadonlyArray<Job>>
  /** Loads in a few statements what the jobs of one claim need, and returns what runs each of them. */
  readonly prepare: (leased: ReadonlyArray<Leased<Job>>) => Effect.Effect<(leased: Leased<Job>) => Effect.Effect<void>>
  /** Extends leases. Returns the jobs that are still this process's. */
  readonly renew: (jobs: ReadonlyArray<Job>) => Effect.Effect<ReadonlySet<Job>>
  /** Gives back the room that a job took, however it ended. */
  readonly free: (job: Job) => void
}

export interface JobRunner {
  /** Claims once and runs what was claimed in the background. Returns how many jobs that is. */
  readonly step: Effect.Effect<number>
  /** Extends the leases that have run for a quarter of their time. */
  readonly renew: Effect.Effect<void>
  /** Announces new work, so that it does not wait for the next poll. */
  readonly wake: Effect.Effect<void>
  /** True once the process stops: a job of several parts ends after the current one. */
  readonly isStopping: () => boolean
  /** Claims and renews for as long as the scope lives. */
  readonly work: Effect.Effect<void, never, Scope.Scope>
}

/**
 * Runs leased jobs: claims what is due, runs the jobs concurrently, renews their leases and, when the scope closes, lets
 * running jobs finish. A job records its own outcome and schedules its own retry (`retryPause`) in `prepare`'s effect; one
 * that fails without a record is run again when its lease ends. So jobs run at least once.
 */
export const makeJobRunner = <Job>(source: JobSource<Job>): Effect.Effect<JobRunner, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { claim, free, name, patience, poll, prepare } = source
    const lease = Duration.toMillis(Duration.fromInputUnsafe(source.lease))
    const running = new Set<Leased<Job>>()
    const fibers = yield* FiberSet.make<void>()
    const due = yield* Latch.make()
    let stopping = false
    /** Claims are worth their statements once this few jobs are left. */
    let few = 0

    // FiberSet interrupts what is left after this.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        stopping = true
        return Effect.timeoutOption(FiberSet.awaitEmpty(fibers), patience)
      })
    )

    const end = (leased: Leased<Job>) =>
      Effect.sync(() => {
        running.delete(leased)
        free(leased.job)
        if (running.size <= few) due.openUnsafe()
      })

    const runOne = (leased: Leased<Job>, task: Effect.Effect<void>) =>
      task.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${name}: a job was not recorded and will be repeated`, cause)),
        Effect.ensuring(end(leased))
      )

    const start = Effect.fn(`${name}.start`)(function* (leased: ReadonlyArray<Leased<Job>>) {
      const makeTask = yield* Effect.onError(prepare(leased), () => Effect.forEach(leased, end, { discard: true }))
      for (const one of leased) yield* FiberSet.run(fibers, runOne(one, makeTask(one)))
    })

    const step = Effect.gen(function* () {
      if (stopping) return 0
      const now = yield* Clock.currentTimeMillis
      // Polled all the time: a trace begins where there is work.
      const leased = (yield* Effect.withTracerEnabled(claim, false)).map((job) => ({ job, until: now + lease }))
      if (leased.length === 0) return 0
      for (const one of leased) running.add(one)
      few = running.size / 2
      yield* start(leased)
      return leased.length
    })

    const renew = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const aged = [...running].filter(({ until }) => until - now < lease * 0.75)
      if (aged.length === 0) return
      const kept = yield* source.renew(aged.map(({ job }) => job))
      for (const one of aged) one.until = kept.has(one.job) ? now + lease : 0
    }).pipe(Effect.withSpan(`${name}.renew`))

    const forever = <A>(what: string, work: Effect.Effect<A>) =>
      work.pipe(
        Effect.catchCause((cause) =>
          Effect.andThen(Effect.logWarning(`${name}: ${what} failed; it is tried again`, cause), Effect.sleep(poll))
        ),
        Effect.forever,
        Effect.forkScoped
      )

    const claimOrWait = Effect.gen(function* () {
      yield* due.close
      if ((yield* step) === 0) yield* Effect.timeoutOption(due.await, poll)
    })

    return {
      step,
      renew,
      wake: Effect.asVoid(due.open),
      isStopping: () => stopping,
      work: Effect.gen(function* () {
        yield* forever("the claim", claimOrWait)
        yield* forever("the renewal of leases", Effect.andThen(renew, Effect.sleep(lease / 5)))
      })
    }
  })
