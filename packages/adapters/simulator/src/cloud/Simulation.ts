import { createHash } from "node:crypto"
import type { SimulatedType, SimulatorAccount, SimulatorFault } from "@edp/domain/accounts/Simulator"
import { NotFound, invalid } from "@edp/domain/errors/ApiErrors"
import { Clock, Effect, Result } from "effect"
import type { Simulation } from "@edp/adapter-kit/Simulation"
import { readDevices } from "../physics/devices.ts"
import { townHome } from "../physics/town.ts"
import type { AccountRecord, StoredSite, AccountFault } from "./AccountRecord.ts"
import { type Accounts, beginHome, beginning, type LiveAccount, newTestAccount } from "./Accounts.ts"
import type { Grants } from "./Grants.ts"
import { sitesWith, withEvent, withFault, withoutFaults } from "./scriptFault.ts"
import { findTestAccount, testAccounts } from "./testAccounts.ts"
import { setClock, currentSpeed } from "./virtualClock.ts"
import type { Fault } from "../physics/faults.ts"

/** The time zone of all simulated homes, which are in Davis, California. */
const TIMEZONE = "America/Los_Angeles"

const iso = (time: number) => new Date(time).toISOString()
const span = ({ from, until }: { readonly from: number; readonly until: number | null }) => ({
  from: iso(from),
  until: until === null ? null : iso(until)
})

/** The parameters of a fault of the physics under their names in the API. */
const parameters = (fault: Fault): Partial<SimulatorFault> => {
  switch (fault.kind) {
    case "slow":
      return { seconds: fault.latencySeconds }
    case "refuses_command":
      return { reason: fault.reason, ...(fault.command !== null && { command: fault.command }) }
    case "partial_fields":
      return { fields: fault.fields }
    case "wrong_units":
      return { fields: fault.fields, factor: fault.factor }
    default:
      return {}
  }
}

const describeAccountFault = (fault: AccountFault): SimulatorFault => ({
  kind: fault.kind,
  deviceId: null,
  ...(fault.seconds !== undefined && { seconds: fault.seconds }),
  ...span(fault)
})

/** The faults of a home that are in force, and those that its script has for later. */
const describeSiteFaults = (site: StoredSite, { faults, applied }: LiveAccount["states"][number], time: number) => {
  const present = faults
    .filter(({ until }) => until === null || until > time)
    .map(({ deviceId, fault, ...when }) => ({ kind: fault.kind, deviceId, ...parameters(fault), ...span(when) }))
  const later = site.timeline.slice(applied).flatMap(({ at, event }) => {
    if (event.type === "counter_reset")
      return [{ kind: event.type, deviceId: event.deviceId, from: iso(at), until: null }]
    if (event.type !== "fault") return []
    const { deviceId, fault, until } = event
    return [{ kind: fault.kind, deviceId, ...parameters(fault), ...span({ from: at, until }) }]
  })
  return [...present, ...later] as ReadonlyArray<SimulatorFault>
}

/** An account for operators. `now`: milliseconds since 1970. */
const describeAccount = (account: LiveAccount, now: number, withStates: boolean): SimulatorAccount => {
  const { id, record, states, time } = account
  const testAccount = findTestAccount(id)
  return {
    id,
    name: record.name,
    description: testAccount?.description.en ?? null,
    isTestAccount: testAccount !== undefined,
    clock: { time: iso(time), speed: currentSpeed(record.clock, now), behind: Math.round((now - time) / 1000) },
    faults: [
      ...record.faults.filter(({ until }) => until === null || until > time).map(describeAccountFault),
      ...record.sites.flatMap((site, index) => describeSiteFaults(site, states[index]!, time))
    ],
    sites: record.sites.map(({ profile }, index) => ({
      id: profile.id,
      name: profile.name,
      address: profile.address,
      timezone: TIMEZONE,
      devices: readDevices(profile, states[index]!, null).map(({ identity, onlineStatus, state, type }) => ({
        id: identity.id,
        type,
        name: identity.name,
        onlineStatus,
        ...(withStates && { state: state as Record<string, unknown> })
      }))
    }))
  }
}

/** Homes of one account. */
const MAX_HOMES = 20
const SEED = 1

const noAccount = new NotFound({ message: "The simulator has no such account" })

/** Home `number` of a town, from 0, as a home that begins before `time`. */
const homeAt = (seed: number, number: number, time: number) => beginHome(townHome(seed, number, beginning(time)))

/** A home beyond the largest town: the ids of devices contain its number. */
const homeNumber = (text: string) =>
  10_000 + (createHash("sha256").update(text).digest().readUInt32BE() % 1_000_000_000)

const newAccount = (name: string, sites: AccountRecord["sites"], past: number | undefined): AccountRecord => ({
  revision: "",
  name,
  clock: null,
  faults: [],
  sites,
  given: [],
  ...(past !== undefined && { past })
})

const hasDevice = ({ profile, state }: StoredSite, wanted: SimulatedType) =>
  readDevices(profile, state, null).some(({ type }) => type === wanted)

/** The numbers of a town's first homes with a device of a type. */
const homeNumbers = (seed: number, homes: number, withDevice: SimulatedType | undefined): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  for (let number = 0; numbers.length < homes; number++)
    if (withDevice === undefined || hasDevice(homeAt(seed, number, 0), withDevice)) numbers.push(number)
  return numbers
}

/** The operators' access to the simulated manufacturer. */
export const makeSimulation = (accounts: Accounts, grants: Grants): Simulation => {
  const describe = Effect.fnUntraced(function* (account: LiveAccount, withStates: boolean) {
    return describeAccount(account, yield* Clock.currentTimeMillis, withStates)
  })

  const get = Effect.fn("Simulation.get")(function* (id: string) {
    const account = yield* accounts.find(id)
    return account === undefined ? yield* noAccount : yield* describe(account, true)
  })

  const change = Effect.fnUntraced(function* (
    id: string,
    apply: (account: LiveAccount) => Result.Result<AccountRecord, Readonly<Record<string, string>>>
  ) {
    const problem = yield* accounts.change(id, (account) => {
      const changed = apply(account)
      return Result.isFailure(changed)
        ? { record: account.record, result: changed.failure }
        : { record: changed.success, result: null }
    })
    if (problem === undefined) return yield* noAccount
    if (problem !== null) return yield* invalid(problem)
    return yield* get(id)
  })

  /** The ids of all accounts: those of every installation, then the added ones. */
  const ids = Effect.gen(function* () {
    const added: Array<string> = []
    for (;;) {
      const found = yield* accounts.list(added.at(-1))
      added.push(...found.map(({ id }) => id))
      if (found.length === 0) break
    }
    return [...testAccounts.map(({ id }) => id), ...added.filter((id) => findTestAccount(id) === undefined)]
  })

  return {
    get,
    list: Effect.fn("Simulation.list")(function* ({ page, perPage }) {
      const all = yield* ids
      const found = yield* Effect.forEach(all.slice((page - 1) * perPage, page * perPage), accounts.find)
      const data = yield* Effect.forEach(
        found.filter((account) => account !== undefined),
        (account) => describe(account, false)
      )
      return { data, totalItems: all.length }
    }),
    growTown: Effect.fn("Simulation.growTown")(function* ({ homes, past, seed = SEED, withDevice }) {
      const now = yield* Clock.currentTimeMillis
      const from = past === undefined ? undefined : now - past * 1000
      return yield* Effect.forEach(
        homeNumbers(seed, homes, withDevice),
        Effect.fnUntraced(function* (number) {
          const id = `town-${seed}-${number + 1}`
          if ((yield* accounts.find(id)) === undefined) {
            const home = homeAt(seed, number, from ?? now)
            yield* accounts.create(id, newAccount(home.profile.name, [home], from))
          }
          return id
        })
      )
    }),
    remove: Effect.fn("Simulation.remove")(function* (id) {
      const isRemoved = yield* accounts.remove(id)
      if (!isRemoved && findTestAccount(id) === undefined) return yield* noAccount
      yield* grants.removeAll(id)
    }),
    addHome: Effect.fn("Simulation.addHome")((id, { seed }) =>
      change(id, ({ record, time }) => {
        if (record.sites.length >= MAX_HOMES)
          return Result.fail({ account: `Has ${MAX_HOMES} homes, the most possible` })
        const home = homeAt(SEED, homeNumber(`${id}/${seed ?? record.sites.length}`), time)
        return record.sites.some(({ profile }) => profile.id === home.profile.id)
          ? Result.fail({ seed: "Is that of a home of the account" })
          : Result.succeed({ ...record, sites: [...record.sites, home] })
      })
    ),
    removeHome: Effect.fn("Simulation.removeHome")((id, siteId) =>
      change(id, ({ record }) => {
        const sites = record.sites.filter(({ profile }) => profile.id !== siteId)
        return sites.length === record.sites.length
          ? Result.fail({ siteId: "Must be a home of the account" })
          : Result.succeed({ ...record, sites })
      })
    ),
    scriptFault: Effect.fn("Simulation.scriptFault")((id, input) => change(id, (account) => withFault(account, input))),
    clearFaults: Effect.fn("Simulation.clearFaults")((id, which) =>
      change(id, (account) => Result.succeed(withoutFaults(account, which)))
    ),
    setClock: Effect.fn("Simulation.setClock")(function* (id, input) {
      const now = yield* Clock.currentTimeMillis
      const isBack = input.behind !== undefined
      if (isBack && (yield* grants.isLinked(id)))
        return yield* invalid({ behind: "Must be absent: the account is linked, and its readings can't be taken back" })
      return yield* change(id, ({ record }) => {
        const clock = setClock(record.clock, input, now)
        if (!isBack) return Result.succeed({ ...record, clock })
        // Time never goes back in a home, so the homes begin anew.
        const time = now - input.behind! * 1000
        const testAccount = findTestAccount(id)
        const begun: AccountRecord =
          testAccount === undefined
            ? {
                ...record,
                sites: record.sites.map(({ profile }) => beginHome({ ...profile, startsAt: beginning(time) })),
                given: []
              }
            : newTestAccount(testAccount, time)
        return Result.succeed({ ...begun, clock })
      })
    }),
    pairKey: Effect.fn("Simulation.pairKey")((id, { deviceId = null, paired = true }) =>
      change(id, (account) => {
        const indexes = sitesWith(account, deviceId).filter(
          (at) => account.record.sites[at]!.profile.vehicle !== undefined
        )
        if (indexes.length === 0) return Result.fail({ deviceId: "Must be a vehicle of the account" })
        return Result.succeed(
          withEvent(
            account,
            indexes,
            paired
              ? { type: "key_paired", deviceId }
              : { type: "fault", deviceId, fault: { kind: "key_not_paired" }, until: null },
            account.time
          )
        )
      })
    )
  }
}
