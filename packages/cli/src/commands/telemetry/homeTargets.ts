import { Effect, Option } from "effect"
import { usage } from "../../CliFailure.ts"
import { INVERTER, METER } from "./csv/homeForm.ts"
import { defaultAddress, parseAddress } from "./defaultAddress.ts"
import { ensureSite, ensureTarget } from "./provision.ts"
import type { ImportOptions, Target } from "./Target.ts"

const addressOf = (referenceId: string, { address }: ImportOptions) => {
  if (address === undefined) return Effect.succeed(defaultAddress(referenceId))
  const parsed = parseAddress(address)
  return Option.isSome(parsed)
    ? Effect.succeed(parsed.value)
    : Effect.fail(usage('--address takes "street, city, ST zip", such as "1 Capitol Mall, Sacramento, CA 95814"'))
}

/** The site of a home's file, its inverter and its meter. */
export const homeTargets = Effect.fn("telemetry.homeTargets")(function* (referenceId: string, options: ImportOptions) {
  const site = yield* ensureSite(referenceId, Option.some(yield* addressOf(referenceId, options)), options)
  const targets = new Map<string, Target>()
  for (const type of [INVERTER, METER] as const) {
    const device = {
      manufacturerDeviceId: `${referenceId}-${type}`,
      type,
      siteId: site.id,
      name: `${referenceId} ${type}`,
      referenceId
    }
    targets.set(type, yield* ensureTarget(device, options))
  }
  return { site, targets }
})
