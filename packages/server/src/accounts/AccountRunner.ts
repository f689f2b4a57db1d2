import { randomUUID } from "node:crypto"
import { Clock, Context, Deferred, Effect, Exit, Layer, Metric, Random } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountReport } from "@edp/adapter-kit/Account"
import { AdapterError, isAdapterError } from "@edp/adapter-kit/AdapterError"
import { LeaseHolder } from "../platform/jobs/LeaseHolder.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../platform/jobs/JobRunner.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { batched } from "../platform/batching/batched.ts"
import { inHalves } from "../platform/batching/inHalves.ts"
import { type DatabaseUnavailable, hideUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { AccountAccess, type Session } from "./AccountAccess.ts"
import { AccountAlerts } from "./reports/AccountAlerts.ts"
import { AccountLifecycle } from "./AccountLifecycle.ts"
import { AccountReports } from "./reports/AccountReports.ts"
import { AccountsRepository } from "./AccountsRepository.ts"
import { accountLimits } from "./accountLimits.ts"
import { AccountWorkRepository, type ClaimRoom } from "./AccountWorkRepository.ts"
import { obstruct } from "./reports/accountObstacles.ts"
import type { AccountClaim, AccountRow, ReleasedWork } from "./accountRow.ts"
import type { AccountDevice } from "../devices/linkedDeviceRow.ts"
import { Adapters, type RunningAdapter } from "./adapter-hosts/Adapters.ts"
import { CallQuotas } from "./quotas/CallQuotas.ts"
import { DeviceImport } from "./devices/DeviceImport.ts"
import { discoveryPause, failurePause, readingPause } from "./readingSchedule.ts"

const lateness = Metric.histogram("edp_account_work_late_seconds", {
  description: "Seconds between the time at which an account's work was due and its claim",
  boundaries: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800]
})

/** An account whose work this process does. */
interface Job extends AccountClaim {
  readonly running: RunningAdapter
}

/** The times of the work on an account, in milliseconds from now. */
interface Progress {
  readIn: number
  discoverIn: number
  failures: number
  problem: string | null
  memory: unknown
  devices: ReadonlyArray<AccountDevice>
}

const isSubscribing = ({ instance }: RunningAdapter) => instance.subscribe !== undefined

/** Errors that stay until somebody changes something. */
const setupFailures = new Set(["misconfigured", "scope_missing", "plan_required", "terms_not_accepted", "refused"])

/** Reads accounts that are due: renews credentials, lists devices, reads them, and holds the connections of those that report. */
export class AccountRunner extends Context.Service<AccountRunner, JobRunner>()("@edp/server/accounts/AccountRunner") {
  static readonly layer = Layer.effect(
    AccountRunner,
    Effect.gen(function* () {
      const accounts = yield* AccountsRepository
      const work = yield* AccountWorkRepository
      const adapters = yield* Adapters
      const access = yield* AccountAccess
      const reports = yield* AccountReports
      const imports = yield* DeviceImport
      const lifecycle = yield* AccountLifecycle
      const alerts = yield* AccountAlerts
      const quotas = yield* CallQuotas
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const stopping = yield* Deferred.make<void>()
      const isolation = yield* makeIsolation("readings of an account")
      const holder = yield* LeaseHolder
      const active = new Map<string, number>()

      const release = yield* batched(
        inHalves((released: ReadonlyArray<ReleasedWork>) => Effect.as(work.release(released), () => Exit.void)),
        { maxBatch: 500 }
      )

      const total = () =>
        adapters.running
          .filter((one) => !isSubscribing(one))
          .reduce((sum, { manifest }) => sum + (active.get(manifest.slug) ?? 0), 0)

      const claim = Effect.gen(function* () {
        const rest = accountLimits.accounts - total()
        const rooms = adapters.running.flatMap((running): ReadonlyArray<ClaimRoom> => {
          const { slug } = running.manifest
          const busy = active.get(slug) ?? 0
          const room = isSubscribing(running)
            ? accountLimits.connectionsPerManufacturer - busy
            : Math.min(rest, accountLimits.accountsPerManufacturer - busy)
          return room <= 0 ? [] : [{ manufacturer: slug, room: Math.min(room, accountLimits.claimedTogether) }]
        })
        if (rooms.length === 0) return []
        const claims = yield* work.claim(randomUUID(), holder.id, rooms, accountLimits.claimedTogether)
        return claims.map((one): Job => {
          active.set(one.manufacturer, (active.get(one.manufacturer) ?? 0) + 1)
          lateness.updateUnsafe(Math.max(0, one.lateMs) / 1000, Context.empty())
          return { ...one, running: adapters.get(one.manufacturer)! }
        })
      })

      /** Records what concerns an account whose claim is held. If it is lost, the work on the account ends: another process has it. */
      const whileHeld = <A, E>({ accountId, claim }: Job, record: Effect.Effect<A, E>) =>
        Effect.flatMap(work.holds(accountId, claim), (isHeld) => (isHeld ? record : Effect.interrupt)).pipe(transaction)

      /** Renews credentials. A worker that lost its claim meanwhile has stored them, and leaves further calls to the new holder. */
      const renew = ({ isHeld, job }: Leased<Job>, row: AccountRow) =>
        Effect.flatMap(access.refresh(job.running, row, job.claim, { isHeld }), (renewed) =>
          whileHeld(job, Effect.succeed(renewed))
        )

      /** Renews credentials whose time has come, and those that the manufacturer refuses. */
      const openSession = Effect.fnUntraced(function* (leased: Leased<Job>, row: AccountRow, progress: Progress) {
        const { running } = leased.job
        const now = yield* Clock.currentTimeMillis
        const isDue = row.refreshAt !== null && row.refreshAt.getTime() <= now && running.instance.refresh !== undefined
        const current = isDue ? yield* renew(leased, row) : row
        return yield* access.session(running, current, { purpose: "polling", memory: progress.memory, leased })
      })

      /** Calls a capability; after a refused token once more, with a new one. */
      const withSession = Effect.fnUntraced(function* <A>(
        leased: Leased<Job>,
        session: Session,
        use: (session: Session) => Effect.Effect<A, AdapterError>
      ) {
        const { running } = leased.job
        return yield* Effect.catch(
          Effect.map(session.calls.run(use(session)), (value) => ({ value, session })),
          (error) =>
            !isAdapterError(error) || error.failure !== "token_refused"
              ? Effect.fail(error)
              : Effect.gen(function* () {
                  const row = yield* renew(leased, session.row)
                  const next = yield* access.session(running, row, {
                    purpose: "polling" as const,
                    memory: session.account.memory,
                    leased
                  })
                  return { value: yield* next.calls.run(use(next)), session: next }
                })
        )
      })

      const store = Effect.fnUntraced(function* (
        leased: Leased<Job>,
        { row }: Session,
        progress: Progress,
        report: AccountReport
      ) {
        // After a freeze somebody else has newer values.
        if (!(yield* leased.isHeld)) return
        const { claim } = leased.job
        yield* reports.store({ account: row, devices: progress.devices, problem: progress.problem, claim }, report)
        if (report.memory !== undefined) progress.memory = report.memory
      })

      const discover = Effect.fnUntraced(function* (leased: Leased<Job>, session: Session, progress: Progress) {
        const { instance, manifest } = leased.job.running
        if (instance.discoverDevices === undefined) {
          progress.discoverIn = Infinity
          return session
        }
        if (progress.discoverIn > 0) return session
        const found = yield* withSession(leased, session, ({ account }) => instance.discoverDevices!(account))
        if (yield* leased.isHeld) {
          yield* imports.compare(session.row, found.value, leased.job.claim)
          progress.devices = yield* accounts.devices([session.row.id])
        }
        progress.discoverIn = discoveryPause(manifest.polling, yield* Random.next)
        return found.session
      })

      const read = Effect.fnUntraced(function* (leased: Leased<Job>, session: Session, progress: Progress) {
        const { instance, manifest } = leased.job.running
        if (instance.readDevices === undefined || manifest.polling === null) {
          progress.readIn = Infinity
          return session
        }
        if (progress.readIn > 0) return session
        const linked = progress.devices.filter(({ isConnected }) => isConnected)
        const devices = linked.map(({ id, manufacturerDeviceId, type }) => ({ id, manufacturerDeviceId, type }))
        const before = session.calls.count()
        const found =
          devices.length === 0
            ? undefined
            : yield* withSession(leased, session, ({ account }) => instance.readDevices!(account, devices))
        if (found !== undefined) {
          quotas.noteCalls(manifest.slug, found.session.calls.count() - (found.session === session ? before : 0))
          yield* store(leased, found.session, progress, found.value)
        }
        progress.readIn = readingPause(
          manifest.polling,
          found?.value.activity ?? "idle",
          yield* quotas.sustainable(manifest),
          yield* Random.next
        )
        return found?.session ?? session
      })

      const succeed = Effect.fnUntraced(function* (job: Job, row: AccountRow, progress: Progress) {
        progress.failures = 0
        if (row.lastError === null) return
        yield* whileHeld(job, Effect.andThen(accounts.setError(row.id, null), alerts.settle(row, ["setup"])))
      })

      /** Reads and lists what is due. Returns the account with its present credentials. */
      const step = Effect.fnUntraced(function* (leased: Leased<Job>, row: AccountRow, progress: Progress) {
        const opened = yield* openSession(leased, row, progress)
        // Readings do not depend on the listing, which may fail for itself.
        const session = yield* discover(leased, yield* read(leased, opened, progress), progress)
        yield* succeed(leased.job, row, progress)
        return session.row
      })

      /** Notes a failure. Returns the milliseconds until the next attempt; null for never. */
      const fail = Effect.fnUntraced(function* (job: Job, row: AccountRow, progress: Progress, error: AdapterError) {
        const now = yield* Clock.currentTimeMillis
        if (error.failure === "grant_lost") {
          yield* lifecycle.lose((yield* accounts.get(row.id)) ?? row, error, job.claim)
          return null
        }
        if (error.failure === "elsewhere") return failurePause(1, 30, yield* Random.next)
        const isLimit = error.failure === "throttled" || error.failure === "quota_exhausted"
        if (!isLimit) {
          progress.failures++
          const { failure, message } = error
          const isSetup = setupFailures.has(failure) && row.lastError?.failure !== failure
          yield* whileHeld(
            job,
            Effect.gen(function* () {
              yield* accounts.setError(row.id, { failure, message, at: new Date(now).toISOString() })
              if (isSetup) yield* alerts.raise(row, "setup", message)
              if (failure === "contract")
                yield* reports.noteProblem({ account: row, problem: progress.problem }, message)
            })
          )
          if (error.intervention !== null) {
            const { name } = job.running.manifest
            const { changes, seenAgain } = obstruct(progress.devices, error.intervention, name, now)
            if (changes.length > 0) yield* imports.change(row, changes, job.claim)
            if (seenAgain.length > 0) yield* imports.dateInterventions(seenAgain)
          }
          yield* Effect.logInfo(`The account ${row.id} could not be read (${failure}): ${message}`)
        }
        const normal = job.running.manifest.polling?.normal ?? accountLimits.reconnectSeconds
        const random = yield* Random.next
        const own = failurePause(Math.max(1, progress.failures), normal, random)
        // After a pause all of a manufacturer's accounts are due: they spread over an interval.
        const asked = error.retryAt === null ? 0 : error.retryAt - now + random * normal * 1000
        return isLimit && error.retryAt !== null ? Math.max(1000, asked) : Math.max(own, asked)
      })

      const untilRefresh = (row: AccountRow, running: RunningAdapter, now: number) =>
        row.refreshAt === null || running.instance.refresh === undefined ? Infinity : row.refreshAt.getTime() - now

      const finish = Effect.fnUntraced(function* (job: Job, progress: Progress, dueInMs: number | null) {
        const { accountId, claim } = job
        const known = (ms: number) => (Number.isFinite(ms) ? Math.round(ms) : undefined)
        yield* release({
          accountId,
          claim,
          dueInMs: dueInMs === null || !Number.isFinite(dueInMs) ? null : Math.round(Math.max(0, dueInMs)),
          discoverInMs: known(progress.discoverIn),
          readInMs: known(progress.readIn),
          failures: progress.failures
        })
      })

      const poll = Effect.fnUntraced(function* (leased: Leased<Job>, row: AccountRow, progress: Progress) {
        const current = yield* step(leased, row, progress)
        const now = yield* Clock.currentTimeMillis
        return Math.max(
          1000,
          Math.min(progress.readIn, progress.discoverIn, untilRefresh(current, leased.job.running, now))
        )
      })

      /** Holds the connection, and meanwhile lists and reads. It ends to renew the credentials. */
      const subscribe = Effect.fnUntraced(function* (leased: Leased<Job>, row: AccountRow, progress: Progress) {
        const { running } = leased.job
        let current = row
        let begun = yield* Clock.currentTimeMillis
        const connected = Effect.gen(function* () {
          current = yield* step(leased, current, progress)
          begun = yield* Clock.currentTimeMillis
          const session = yield* access.session(running, current, {
            purpose: "polling" as const,
            memory: progress.memory,
            leased
          })
          const receive = (report: AccountReport) =>
            Effect.gen(function* () {
              progress.devices = yield* accounts.devices([current.id])
              progress.problem = (yield* work.state(current.id))?.problem ?? null
              yield* store(leased, session, progress, report)
            })
          const hold = session.calls.run(
            running.instance.subscribe!(session.account, (report) => hideUnavailable(receive(report)))
          )
          const between = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const pause = Math.min(progress.readIn, progress.discoverIn, untilRefresh(current, running, now))
            if (!Number.isFinite(pause)) return yield* Effect.never
            yield* Effect.sleep(Math.max(1000, pause))
            progress.readIn -= pause
            progress.discoverIn -= pause
            const then = yield* Clock.currentTimeMillis
            if (untilRefresh(current, running, then) > 0) {
              current = (yield* discover(leased, yield* read(leased, session, progress), progress)).row
            }
            return untilRefresh(current, running, yield* Clock.currentTimeMillis) <= 0 || current !== session.row
          }).pipe(Effect.repeat({ until: (isOver) => isOver }))
          yield* Effect.raceFirst(hold, between)
        }).pipe(Effect.forever)
        return yield* Effect.onError(connected, () =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (now - begun > accountLimits.lastingSeconds * 1000) progress.failures = 0
          })
        )
      })

      /** Ends once the lease has run out, such as while the database does not respond. */
      const over = (leased: Leased<Job>): Effect.Effect<"over"> =>
        Effect.sleep(`${accountLimits.leaseCheckSeconds} seconds`).pipe(
          Effect.andThen(leased.isHeld),
          Effect.repeat({ while: (held) => held }),
          Effect.as("over" as const)
        )

      const perform = Effect.fn("AccountRunner.perform")(function* (
        leased: Leased<Job>,
        row: AccountRow | undefined,
        devices: ReadonlyArray<AccountDevice>,
        pausedUntil: number | undefined
      ) {
        const { job } = leased
        const { discoverInMs: discoverIn, failures, memory, problem, readInMs: readIn, running } = job
        const progress: Progress = { readIn, discoverIn, failures, problem, memory, devices }
        if (row === undefined || row.status !== "connected") return yield* finish(job, progress, null)
        if (pausedUntil !== undefined) {
          const normal = running.manifest.polling?.normal ?? 60
          const spread = (yield* Random.next) * normal * 1000
          return yield* finish(job, progress, pausedUntil - (yield* Clock.currentTimeMillis) + spread)
        }
        if (job.isRefreshInterrupted) {
          yield* Effect.logWarning(
            `A worker did not end its refresh of the account ${row.id}: the old credentials are tried`
          )
        }
        const doing: Effect.Effect<number, AdapterError | DatabaseUnavailable> = isSubscribing(running)
          ? Effect.raceFirst(subscribe(leased, row, progress), Effect.as(Deferred.await(stopping), 0))
          : poll(leased, row, progress)
        const outcome = yield* doing.pipe(
          Effect.catchTag("AdapterError", (error): Effect.Effect<number | null | "over", DatabaseUnavailable> =>
            Effect.flatMap(leased.isHeld, (isHeld): Effect.Effect<number | null | "over", DatabaseUnavailable> =>
              isHeld ? fail(job, row, progress, error) : Effect.succeed("over" as const)
            )
          ),
          Effect.raceFirst(over(leased))
        )
        if (outcome === "over") return
        yield* finish(job, progress, outcome)
      })

      const runner: JobRunner = yield* makeJobRunner<Job>({
        name: "AccountRunner",
        lease: `${accountLimits.leaseSeconds} seconds`,
        poll: accountLimits.pauseMs,
        topic: "accounts",
        nextDue: Effect.suspend(() => work.nextDue(adapters.running.map(({ manifest }) => manifest.slug))),
        patience: `${accountLimits.patienceSeconds} seconds`,
        item: ({ accountId }) => accountId,
        claim,
        prepare: Effect.fnUntraced(function* (leased) {
          const ids = leased.map(({ job }) => job.accountId)
          const rows = new Map((yield* accounts.byIds(ids)).map((row) => [row.id, row]))
          const byAccount = Map.groupBy(yield* accounts.devices(ids), ({ accountId }) => accountId)
          const pauses = yield* quotas.pauses([...rows.values()])
          return (one) => {
            const { accountId } = one.job
            return perform(one, rows.get(accountId), byAccount.get(accountId) ?? [], pauses.get(accountId))
          }
        }),
        renew: (jobs) => work.renew(jobs.map(({ accountId, claim }) => ({ accountId, claim }))),
        putOff: work.putOff,
        endLeases: work.endLeases,
        isolation,
        free: ({ manufacturer }) => active.set(manufacturer, (active.get(manufacturer) ?? 1) - 1)
      })
      // Lasting connections end before the runner waits for its jobs.
      const endConnections = Effect.addFinalizer(() => Deferred.succeed(stopping, undefined))
      yield* endConnections
      return { ...runner, work: Effect.andThen(runner.work, endConnections) }
    })
  )
}
