import { commandLimits, commandType } from "@edp/domain/commands/commandInputs"
import { takesTargetPower } from "@edp/domain/commands/targetPower"
import { type CommandSlug, type CommandType, commandSlugs, commandTypes } from "@edp/domain/devices/DeviceType"

type Entries = Map<number, Map<CommandSlug, CommandType>>

/** The entries of lists of devices. */
const brief = new Map(
  commandSlugs.map((slug) => [slug, Object.freeze({ slug, description: commandTypes[slug] })] as const)
)

/** The commands that a device takes, without their details. */
export const briefCommands = (commands: ReadonlyArray<CommandSlug>): ReadonlyArray<CommandType> =>
  commands.map((slug) => brief.get(slug)!)

/** The entries without limits by `confirmWithin`, of which there are as many values as adapters: devices share them. */
const shared: Readonly<Record<"plain" | "withPower", Entries>> = { plain: new Map(), withPower: new Map() }

const findShared = (slug: CommandSlug, confirmWithin: number, withPower: boolean): CommandType => {
  const all = shared[withPower ? "withPower" : "plain"]
  let entries = all.get(confirmWithin)
  if (entries === undefined) all.set(confirmWithin, (entries = new Map()))
  let entry = entries.get(slug)
  if (entry === undefined) entries.set(slug, (entry = Object.freeze(commandType(slug, confirmWithin, withPower))))
  return entry
}

/** The commands that a device takes, each with the limits that its static state sets. */
export const availableCommands = (
  commands: ReadonlyArray<CommandSlug>,
  confirmWithin: number,
  staticState: object | null
): ReadonlyArray<CommandType> =>
  commands.map((slug) => {
    const entry = findShared(slug, confirmWithin, takesTargetPower(slug, staticState))
    const limits = staticState === null ? undefined : commandLimits(slug, { staticState })
    return limits === undefined ? entry : { ...entry, limits }
  })
