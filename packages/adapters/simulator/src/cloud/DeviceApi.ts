import { Clock, Effect } from "effect"
import { applyCommand, type CommandResult, type DeviceCommand } from "../physics/commands.ts"
import type { RefusalReason } from "../physics/commandResult.ts"
import { findAccountFault, type StoredSite } from "./AccountRecord.ts"
import { type Accounts, type LiveAccount, scripted } from "./Accounts.ts"
import { CloudRefusal } from "./CloudRefusal.ts"
import type { Grants } from "./Grants.ts"
import { type Settings, settingsBefore } from "./settings.ts"

/** A call to the device API, by what an owner or a fault can refuse. */
type Use = "devices" | "readings" | "commands"

/** Results of this many commands are kept to recognize repeated ones. */
const KEPT_RESULTS = 50
const SLOW = 5
const RETRY_AFTER = 60

const sleep = (seconds: number) => (seconds > 0 ? Effect.sleep(seconds * 1000) : Effect.void)

const messages: Readonly<Record<RefusalReason, string>> = {
  unreachable: "The device does not respond",
  refused: "The device refuses the command",
  precondition_not_plugged_in: "The vehicle is not plugged in",
  precondition_storm_mode: "Storm mode controls the battery",
  precondition_unmet: "The device cannot do that now",
  pairing_required: "The vehicle has no key of this client",
  quota_exhausted: "The allowance of commands is used up",
  scope_missing: "The owner did not allow commands",
  contradicted_by_state: "The device did not do what it accepted",
  unsupported_value: "The device does not support the value"
}

const refuseCommand = (reason: RefusalReason) =>
  new CloudRefusal({ status: reason === "unreachable" ? 408 : 409, code: reason, message: messages[reason], reason })

/** Refuses a call that a fault of the account does not let through. */
const refuse = (account: LiveAccount, use: Use): CloudRefusal | undefined => {
  const { record, time } = account
  const fault = (kind: Parameters<typeof findAccountFault>[1]) => findAccountFault(record, kind, time)
  if (fault("unavailable"))
    return new CloudRefusal({ status: 503, code: "temporarily_unavailable", message: "The service is down" })
  if (use === "devices") return undefined
  const limited = fault("rate_limited")
  if (limited)
    return new CloudRefusal({
      status: 429,
      code: "too_many_requests",
      message: "Too many requests",
      retryAfter: limited.seconds ?? RETRY_AFTER
    })
  if (fault("terms_not_accepted"))
    return new CloudRefusal({ status: 403, code: "terms_not_accepted", message: "The new terms are not accepted" })
  if (use === "readings") return undefined
  if (fault("scope_missing"))
    return new CloudRefusal({
      status: 403,
      code: "insufficient_scope",
      message: "The owner did not allow commands",
      reason: "scope_missing"
    })
  if (fault("plan_required"))
    return new CloudRefusal({ status: 402, code: "plan_required", message: "Commands need a paid plan" })
  return undefined
}

const siteOfDevice = ({ record }: LiveAccount, deviceId: string) =>
  record.sites.findIndex(({ profile }) =>
    [
      profile.inverter,
      profile.battery,
      profile.meter,
      profile.thermostat,
      profile.waterHeater,
      profile.charger,
      profile.vehicle
    ].some((one) => one?.device?.id === deviceId)
  )

const withSite = ({ record }: LiveAccount, index: number, site: StoredSite) => ({
  ...record,
  sites: record.sites.map((one, at) => (at === index ? site : one))
})

const noDevice = (deviceId: string) =>
  new CloudRefusal({ status: 404, code: "not_found", message: `The account has no device ${deviceId}` })

/** The manufacturer's device API, by access token. */
export const makeDeviceApi = (accounts: Accounts, grants: Grants) => {
  const enter = Effect.fnUntraced(function* (accessToken: string, use: Use) {
    const { grant, grantId } = yield* grants.authenticate(accessToken)
    const account = yield* accounts.find(grant.accountId)
    if (account === undefined)
      return yield* new CloudRefusal({ status: 401, code: "invalid_token", message: "The account was removed" })
    const revoked = findAccountFault(account.record, "token_revoked", account.time)
    if (revoked && grant.issuedAt + (revoked.seconds ?? 0) * 1000 <= (yield* Clock.currentTimeMillis)) {
      yield* grants.revoke(grantId)
      return yield* new CloudRefusal({ status: 401, code: "invalid_token", message: "The permission has been revoked" })
    }
    const slow = findAccountFault(account.record, "slow", account.time)
    if (slow) yield* sleep(slow.seconds ?? SLOW)
    const refusal = refuse(account, use)
    if (refusal !== undefined) return yield* refusal
    return account
  })

  /** Applies events at a device's site, all of them or none. Returns the result of the last command. */
  const apply = Effect.fnUntraced(function* (
    accountId: string,
    deviceId: string,
    commandId: string | null,
    events: Settings,
    mayBeUnmet: boolean
  ) {
    const result = yield* accounts.change(accountId, (account) => {
      const index = siteOfDevice(account, deviceId)
      const known = account.record.given.find(({ id }) => id === commandId)
      if (known !== undefined || index < 0) return { record: account.record, result: known?.result }
      let site = account.record.sites[index]!
      let state = account.states[index]!
      let result: CommandResult = { status: "accepted", reason: "already_so", output: null, latencySeconds: 0 }
      for (const event of events) {
        if (event.type === "command") {
          const applied = applyCommand(site.profile, state, event.deviceId, event.command, state.asOf)
          const isUnmet = applied.result.status === "refused" && applied.result.reason === "precondition_unmet"
          if (isUnmet && mayBeUnmet) continue
          result = applied.result
          if (result.status === "refused") break
          state = applied.state
        }
        site = scripted(site, event, state.asOf)
      }
      // A refused command may be given again, when its obstacle is gone.
      if (result.status === "refused") return { record: account.record, result }
      const record = withSite(account, index, site)
      const given =
        commandId === null ? record.given : [...record.given, { id: commandId, result }].slice(-KEPT_RESULTS)
      return { record: { ...record, given }, result }
    })
    if (result === undefined) return yield* noDevice(deviceId)
    yield* sleep(result.latencySeconds)
    if (result.status === "refused") return yield* refuseCommand(result.reason)
    return result
  })

  return {
    /** The account for its list of devices. */
    devices: (accessToken: string) => enter(accessToken, "devices"),
    readings: (accessToken: string) => enter(accessToken, "readings"),
    /** Gives a command. The same id again has the same result and no effect. */
    command: Effect.fnUntraced(function* (accessToken: string, id: string, deviceId: string, command: DeviceCommand) {
      const account = yield* enter(accessToken, "commands")
      return yield* apply(account.id, deviceId, id, [{ type: "command", deviceId, command }], false)
    }),
    /** The settings that a command would change; null if the device is so already. */
    settings: Effect.fnUntraced(function* (accessToken: string, deviceId: string, command: DeviceCommand) {
      const account = yield* enter(accessToken, "commands")
      const index = siteOfDevice(account, deviceId)
      if (index < 0) return yield* noDevice(deviceId)
      const state = account.states[index]!
      const { result } = applyCommand(account.record.sites[index]!.profile, state, deviceId, command, state.asOf)
      const isSo = result.status === "accepted" && result.reason === "already_so"
      return isSo ? null : settingsBefore(state, deviceId, command.type)
    }),
    /** Writes settings back. */
    restore: Effect.fnUntraced(function* (accessToken: string, deviceId: string, settings: Settings) {
      const account = yield* enter(accessToken, "commands")
      return yield* apply(account.id, deviceId, null, settings, true)
    })
  }
}
