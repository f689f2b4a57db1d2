import { Cause, Deferred, Duration, Effect, FiberSet, Latch, Option, type Scope } from "effect"
import { logFailure } from "../logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import type { Isolation } from "./isolation.ts"
import { LeaseHolder } from "./LeaseHolder.ts"
import { monotonicMillis } from "./monotonic.ts"
import { pauseAfter } from "./pauseAfter.ts"
import { makeWorkWait } from "./workWait.ts"

/** A job on which this process holds a lease. */
export interface Leased<Job> {
  readonly job: Job
  /** Whether this process may work on the job: false once the lease has run out or was lost. */
  readonly isHeld: Effect.Effect<boolean>
}

/** A lease is known by its claim, never by what is leased alone: the same may be claimed again. */
export const leaseName = (claim: string, item: string): string => `${claim} ${item}`

/**
 * Due work in a table, provided by a slice, such as deliveries, commands or schedules. The table needs a due time and a claim
 * (a UUID): claiming sets both, releasing clears the claim, and a due time in the past makes a job claimable. A job records its outcome
 * only while its claim is held, in one transaction.
 */
export interface JobSource<Job extends { readonly claim: string }> {
  /** Named in logs and spans. */
  readonly name: string
  /** How long `claim` and `renew` keep other processes away. A dead process's jobs are claimed again after this. */
  readonly lease: Duration.Input
  /** The shortest pause between two polls for work. Without announcements of it, work is polled for with this pause. */
  readonly poll: Duration.Input
  /** The name under which the database announces this work, such as `deliveries`; see `WorkSignals`. */
  readonly topic?: string
  /** Milliseconds until the next known work is due, as `AnnouncedWork` says. */
  readonly nextDue?: Effect.Effect<number, DatabaseUnavailable>
  /** How long a stop waits for the jobs that are running. */
  readonly patience: Duration.Input
  /** The name of the leased item, such as the id of a device. */
  readonly item: (job: Job) => string
  /** Leases due jobs, as many as there is room for: concurrency is limited here. `FOR UPDATE SKIP LOCKED` keeps processes apart. */
  readonly claim: Effect.Effect<ReadonlyArray<Job>, DatabaseUnavailable>
  /** Loads in a few statements what the jobs of one claim need, and returns what runs each of them. */
  readonly prepare: (
    leased: ReadonlyArray<Leased<Job>>
  ) => Effect.Effect<(leased: Leased<Job>) => Effect.Effect<void, DatabaseUnavailable>, DatabaseUnavailable>
  /** Extends leases whose claims are still held. Returns their names (`leaseName`). */
  readonly renew: (jobs: ReadonlyArray<Job>) => Effect.Effect<ReadonlySet<string>, DatabaseUnavailable>
  /** Ends a lease whose claim is still held; the job is due again after a pause in milliseconds. */
  readonly putOff: (job: Job, pause: number) => Effect.Effect<unknown, DatabaseUnavailable>
  /** Ends the leases of a process that is gone. */
  readonly endLeases: (holder: string) => Effect.Effect<unknown, DatabaseUnavailable>
  /** Keeps a job that always fails from being repeated all the time. */
  readonly isolation: Pick<Isolation, "responds" | "putOff">
  /** Gives back the room that a job took, however it ended. */
  readonly free: (job: Job) => void
}

export interface JobRunner {
  /** Claims once and runs what was claimed in the background. Returns how many jobs that is. */
  readonly step: Effect.Effect<number, DatabaseUnavailable>
  /** Extends the leases that have run for a quarter of their time. */
  readonly renew: Effect.Effect<void, DatabaseUnavailable>
  /** Ends the leases of a process that is gone; its jobs are due. */
  readonly endLeases: (holder: string) => Effect.Effect<unknown, DatabaseUnavailable>
  /** Announces new work, so that it does not wait for the next poll. */
  readonly wake: Effect.Effect<void>
  /** True once the process stops: a job of several parts ends after the current one. */
  readonly isStopping: () => boolean
  /** Claims and renews for as long as the scope lives. When it closes, running jobs may finish. */
  readonly work: Effect.Effect<void, never, Scope.Scope>
}

const nothingBefore = Deferred.makeUnsafe<void>()
Deferred.doneUnsafe(nothingBefore, Effect.void)

/** A lease of this process. Its time is kept by the monotonic clock, since the system's clock may be set. */
class Lease<Job> implements Leased<Job> {
  readonly job: Job
  readonly lost = Deferred.makeUnsafe<void>()
  readonly ended = Deferred.makeUnsafe<void>()
  /** The end of the former work on the same item in this process. */
  former: Deferred.Deferred<void> = nothingBefore
  /** Milliseconds of the monotonic clock. */
  until: number

  constructor(job: Job, until: number) {
    this.job = job
    this.until = until
  }

  readonly isHeld: Effect.Effect<boolean> = Effect.suspend(() => Effect.map(monotonicMillis, (now) => now < this.until))

  /** For good: the work on the job is interrupted. */
  lose() {
    this.until = -Infinity
    Deferred.doneUnsafe(this.lost, Effect.void)
  }
}

/** Whether less than a time has passed since now, in milliseconds. */
export const leaseTime = (milliseconds: number): Effect.Effect<Effect.Effect<boolean>> =>
  Effect.map(monotonicMillis, (begun) => Effect.map(monotonicMillis, (now) => now < begun + milliseconds))

/**
 * Runs leased jobs: claims what is due, runs the jobs concurrently, renews their leases and, when the scope closes, lets
 * running jobs finish. A job records its own outcome and schedules its own retry (`retryPause`) in `prepare`'s effect; one
 * that fails without a record is put off and run again. So jobs run at least once. A job whose lease is lost is interrupted.
 */
export const makeJobRunner = <Job extends { readonly claim: string }>(
  source: JobSource<Job>
): Effect.Effect<JobRunner, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { claim, free, isolation, item, name, patience, prepare } = source
    const lease = Duration.toMillis(Duration.fromInputUnsafe(source.lease))
    const poll = Duration.toMillis(Duration.fromInputUnsafe(source.poll))
    const running = new Set<Lease<Job>>()
    const fibers = yield* FiberSet.make<void>()
    const due = yield* Latch.make()
    /** Open while all leases are to be renewed, however young: others may have taken this process for gone. */
    const doubted = yield* Latch.make()
    const { doubted: onDoubt } = yield* LeaseHolder
    const doubt = () => doubted.openUnsafe()
    onDoubt.add(doubt)
    yield* Effect.addFinalizer(() => Effect.sync(() => onDoubt.delete(doubt)))
    let stopping = false
    /** Claims are worth their statements once this few jobs are left. */
    let few = 0

    // FiberSet interrupts what is left after this.
    const drain = yield* Effect.cached(
      Effect.suspend(() => {
        stopping = true
        return Effect.timeoutOption(FiberSet.awaitEmpty(fibers), patience)
      })
    )
    yield* Effect.addFinalizer(() => drain)

    const end = (leased: Lease<Job>) =>
      Effect.sync(() => {
        running.delete(leased)
        free(leased.job)
        Deferred.doneUnsafe(leased.ended, Effect.void)
        if (running.size <= few) due.openUnsafe()
      })

    /** Ends the lease of a job that failed without a record, as soon as the database responds. */
    const putOff = (
      leased: Lease<Job>,
      pause: Effect.Effect<number, DatabaseUnavailable>,
      failures = 1
    ): Effect.Effect<void> =>
      Effect.flatMap(pause, (pause) => Effect.asVoid(source.putOff(leased.job, pause))).pipe(
        Effect.catch(() =>
          Effect.andThen(
            Effect.sleep(pauseAfter(failures, poll, "unavailable")),
            Effect.suspend(() => putOff(leased, pause, failures + 1))
          )
        ),
        Effect.catchCause((again) =>
          Cause.hasInterrupts(again)
            ? Effect.void
            : logFailure(name, `${name}: a job was not recorded and will be repeated when its lease ends`, again)
        )
      )

    const runOne = (leased: Lease<Job>, task: Effect.Effect<void, DatabaseUnavailable>) => {
      const pause = (cause: Cause.Cause<unknown>) => isolation.putOff(item(leased.job), cause)
      return task.pipe(
        Effect.catch((error) =>
          Effect.flatMap(isolation.responds, (isItsOwn) =>
            putOff(leased, isItsOwn ? pause(Cause.fail(error)) : Effect.succeed(0))
          )
        ),
        Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.void : putOff(leased, pause(cause)))),
        Effect.raceFirst(Deferred.await(leased.lost)),
        Effect.ensuring(end(leased))
      )
    }

    type MakeTask = (one: Lease<Job>) => Effect.Effect<void, DatabaseUnavailable>

    /** Makes the work on the jobs. Where some cannot be prepared together, each is prepared alone. */
    const makeTasks = (leased: ReadonlyArray<Lease<Job>>): Effect.Effect<MakeTask> =>
      prepare(leased).pipe(
        Effect.catch((error) => Effect.succeed<MakeTask>(() => Effect.fail(error))),
        Effect.catchCause((cause): Effect.Effect<MakeTask> => {
          if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
          if (leased.length === 1) return Effect.succeed(() => Effect.failCause(cause))
          return Effect.succeed((one) => Effect.flatMap(prepare([one]), (makeTask) => makeTask(one)))
        })
      )

    const start = Effect.fn(`${name}.start`)(function* (leased: ReadonlyArray<Lease<Job>>) {
      const makeTask = yield* Effect.onError(makeTasks(leased), () => Effect.forEach(leased, end, { discard: true }))
      for (const one of leased)
        yield* FiberSet.run(
          fibers,
          runOne(
            one,
            Effect.andThen(
              Deferred.await(one.former),
              Effect.suspend(() => makeTask(one))
            )
          )
        )
    })

    /** An item that was claimed again was lost before: the former work on it ends before the new one begins. */
    const endFormer = (claimed: ReadonlyArray<Lease<Job>>) => {
      const byItem = new Map(claimed.map((one) => [item(one.job), one]))
      for (const one of running) {
        const next = byItem.get(item(one.job))
        if (next === undefined) continue
        one.lose()
        next.former = one.ended
      }
    }

    const step = Effect.gen(function* () {
      if (stopping) return 0
      const now = yield* monotonicMillis
      // Polled all the time: a trace begins where there is work.
      const leased = (yield* Effect.withTracerEnabled(claim, false)).map((job) => new Lease(job, now + lease))
      if (leased.length === 0) return 0
      endFormer(leased)
      for (const one of leased) running.add(one)
      few = running.size / 2
      yield* start(leased)
      return leased.length
    })

    const renewSome = Effect.fnUntraced(
      function* (isDue: (left: number) => boolean) {
        const now = yield* monotonicMillis
        const aged = [...running].filter(({ until }) => until !== -Infinity && isDue(until - now))
        if (aged.length === 0) return
        const kept = yield* source.renew(aged.map(({ job }) => job))
        for (const one of aged) {
          if (!kept.has(leaseName(one.job.claim, item(one.job)))) one.lose()
          else if (one.until !== -Infinity) one.until = now + lease
        }
      },
      Effect.withSpan(`${name}.renew`)
    )

    const renew = renewSome((left) => left < lease * 0.75)

    const renewOrWait = Effect.gen(function* () {
      const isDoubted = yield* Effect.timeoutOption(doubted.await, lease / 5)
      if (Option.isNone(isDoubted)) return yield* renew
      yield* doubted.close
      yield* Effect.onError(
        renewSome(() => true),
        () => doubted.open
      )
    })

    const forever = <A>(what: string, work: Effect.Effect<A, DatabaseUnavailable>) =>
      Effect.suspend(() => {
        let failures = 0
        const pauseFor = (reason?: "unavailable") =>
          Effect.suspend(() => Effect.sleep(pauseAfter(++failures, poll, reason)))
        return work.pipe(
          Effect.map(() => {
            failures = 0
          }),
          Effect.catch(() => pauseFor("unavailable")),
          Effect.catchCause((cause) =>
            Effect.andThen(
              logFailure(`${name} ${what}`, `${name}: ${what} failed; it is tried again`, cause),
              pauseFor()
            )
          ),
          Effect.forever,
          Effect.forkScoped
        )
      })

    const claimOrWait = (wait: Effect.Effect<void, DatabaseUnavailable>) =>
      Effect.gen(function* () {
        yield* due.close
        if ((yield* step) === 0) yield* wait
      })

    return {
      step,
      renew,
      endLeases: (holder) => Effect.andThen(source.endLeases(holder), due.open),
      wake: Effect.asVoid(due.open),
      isStopping: () => stopping,
      work: Effect.gen(function* () {
        // The jobs end beside those of other runners and the server's requests, not after them.
        yield* Effect.addFinalizer(() => drain)
        const topics = source.topic === undefined ? [] : [source.topic]
        const { nextDue } = source
        const wait = yield* makeWorkWait({ topics, pause: poll, ...(nextDue !== undefined && { nextDue }) }, due)
        yield* forever("the claim", claimOrWait(wait()))
        yield* forever("the renewal of leases", renewOrWait)
      })
    }
  })
