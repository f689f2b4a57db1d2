import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import type { Intervention, InterventionCode } from "@edp/domain/devices/Intervention"
import type { AccountDevice } from "../../devices/linkedDeviceRow.ts"
import type { DeviceFieldChanges } from "../devices/importedFields.ts"

type Described = Omit<Intervention, "blocks">

export const signInAgain = (manufacturer: string): Described => ({
  code: "sign_in_again",
  title: `The permission at ${manufacturer} has ended`,
  steps: ["Open a new link to connect the account", `Sign in at ${manufacturer} with the same account`],
  actor: "owner"
})

/** The obstacle that a failed reading of an account has named; undefined for one that concerns single devices. */
const describe = (code: InterventionCode, manufacturer: string): Described | undefined => {
  switch (code) {
    case "terms_not_accepted":
      return {
        code,
        title: `The new terms of ${manufacturer} are not accepted`,
        steps: [`Sign in to the app or the website of ${manufacturer}`, "Read and accept the new terms"],
        actor: "owner"
      }
    case "plan_required":
      return {
        code,
        title: `${manufacturer} serves this account only with a paid plan`,
        steps: [`Book the plan at ${manufacturer}`],
        actor: "owner"
      }
    case "scope_missing":
      return {
        code,
        title: `A permission is missing at ${manufacturer}`,
        steps: [
          "Open the connect link again",
          `Sign in at ${manufacturer} and allow every permission that is asked for`
        ],
        actor: "owner"
      }
    case "local_access_disabled":
      return {
        code,
        title: "The connection is refused at the address that was entered",
        steps: ["Turn on local access in the settings of the device", "Check the address and the port"],
        actor: "owner"
      }
    default:
      return undefined
  }
}

/** Obstacles that keep a manufacturer from taking commands as they keep it from giving readings. */
const blockCommands: ReadonlySet<InterventionCode> = new Set(["terms_not_accepted", "plan_required"])

/** The devices of an account that get an obstacle, and those that have it already and keep it. */
export const obstruct = (
  devices: ReadonlyArray<AccountDevice>,
  code: InterventionCode,
  manufacturer: string,
  now: number
): {
  readonly changes: ReadonlyArray<DeviceFieldChanges>
  readonly seenAgain: ReadonlyArray<{ readonly id: string; readonly at: Date }>
} => {
  const described = describe(code, manufacturer)
  if (described === undefined) return { changes: [], seenAgain: [] }
  const connected = devices.filter(({ isConnected }) => isConnected)
  const hasIt = ({ interventions }: AccountDevice) => interventions?.some((one) => one.code === code) === true
  return {
    changes: connected
      .filter((device) => !hasIt(device))
      .map(({ commands, id, interventions }) => ({
        id,
        interventions: [
          ...(interventions ?? []),
          {
            ...described,
            blocks: ["telemetry" as const, ...(blockCommands.has(code) ? (commands as ReadonlyArray<CommandSlug>) : [])]
          }
        ]
      })),
    seenAgain: connected.filter(hasIt).map(({ id }) => ({ id, at: new Date(now) }))
  }
}
