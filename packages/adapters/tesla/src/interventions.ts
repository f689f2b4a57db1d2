import type { Intervention, InterventionCode } from "@edp/domain/devices/Intervention"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { mayCommand, mayRead, teslaCommands } from "./access.ts"
import type { Pairing } from "./pairing.ts"

/** Observations of a device and its account. */
export interface DeviceObservations {
  readonly type: keyof typeof teslaCommands
  /** Null: not known. */
  readonly scopes: ReadonlySet<string> | null
  readonly pairing: Pairing | null
  readonly stormModeActive: boolean | null
  /** Obstacles that responses of Tesla have named since the last success. */
  readonly obstacles: ReadonlyArray<InterventionCode>
  /** The domain whose key vehicles are paired with, such as energy.example.com. */
  readonly keyDomain: string
}

const vehicleCommands = ["vehicle:set-operating-mode", "vehicle:set-charge-limit"] as const

const keyNotPaired = ({ keyDomain, obstacles, pairing, type }: DeviceObservations): ReadonlyArray<Intervention> => {
  const known = pairing?.required === true && !pairing.paired
  const named = obstacles.includes("key_not_paired") && pairing?.paired !== true
  return type === "vehicle" && (known || named)
    ? [
        {
          code: "key_not_paired",
          blocks: vehicleCommands,
          title: "The vehicle does not accept our commands yet",
          steps: [
            `Open https://tesla.com/_ak/${keyDomain} on the phone with the Tesla app`,
            "Choose the vehicle and approve the third-party key",
            "Keep the vehicle awake and online until the app confirms"
          ],
          actor: "owner"
        }
      ]
    : []
}

const scopeMissing = ({ obstacles, scopes, type }: DeviceObservations): ReadonlyArray<Intervention> => {
  const commands = teslaCommands[type].filter(
    (slug) => !mayCommand(scopes, slug) || (scopes === null && obstacles.includes("scope_missing"))
  )
  const blocks = [...commands, ...(mayRead(scopes, type) ? [] : (["telemetry"] as const))]
  return blocks.length === 0
    ? []
    : [
        {
          code: "scope_missing",
          blocks,
          title: "A permission is missing at Tesla",
          steps: ["Open the connect link again", "Sign in to Tesla and allow every permission that is asked for"],
          actor: "owner"
        }
      ]
}

const stormMode = ({ stormModeActive, type }: DeviceObservations): ReadonlyArray<Intervention> =>
  type === "battery" && stormModeActive === true
    ? [
        {
          code: "storm_mode",
          blocks: ["battery:set-reserve", "battery:set-operating-mode"],
          title: "Storm mode is charging the battery",
          steps: ["Wait until the storm has passed, or turn off Storm Watch in the Tesla app"],
          actor: "owner"
        }
      ]
    : []

const all = (type: DeviceObservations["type"]) => [...teslaCommands[type], "telemetry"] as const

const accountObstacles = ({ obstacles, type }: DeviceObservations): ReadonlyArray<Intervention> => {
  const known: ReadonlyArray<Intervention> = [
    {
      code: "terms_not_accepted",
      blocks: all(type),
      title: "Tesla's terms are not accepted",
      steps: ["Sign in to the Tesla app or to tesla.com", "Read and accept the new terms"],
      actor: "owner"
    },
    {
      code: "sign_in_again",
      blocks: all(type),
      title: "Tesla asks for a new sign-in",
      steps: ["Open the connect link again and sign in to Tesla"],
      actor: "owner"
    },
    {
      code: "local_access_disabled",
      blocks: all(type),
      title: "Mobile access is turned off in the vehicle",
      steps: ["In the vehicle, open Controls, then Safety, and turn on Allow Mobile Access"],
      actor: "owner"
    },
    {
      code: "plan_required",
      blocks: all(type),
      title: "Tesla has stopped serving this platform's account",
      steps: [
        "Sign in to developer.tesla.com as the owner of the application",
        "Check the payment method, the billing limit and open invoices"
      ],
      actor: "operator"
    }
  ]
  return known.filter(({ code }) => obstacles.includes(code))
}

/** The interventions of a device. They vanish with the observations that raised them. */
export const interventions = (observed: DeviceObservations): ReadonlyArray<Intervention> => [
  ...keyNotPaired(observed),
  ...scopeMissing(observed),
  ...stormMode(observed),
  ...accountObstacles(observed)
]

/** The commands that a device takes now: those of its type that the scopes allow. Obstacles do not remove a command. */
export const availableCommands = (
  type: keyof typeof teslaCommands,
  scopes: ReadonlySet<string> | null
): ReadonlyArray<CommandSlug> => teslaCommands[type].filter((slug) => mayCommand(scopes, slug))
