import { commandLimits, commandType } from "@edp/domain/commands/commandInputs"
import type { CommandSlug, CommandType } from "@edp/domain/devices/DeviceType"

/** The entries without limits by `confirmWithin`, of which there are as many values as adapters: lists of devices share them. */
const shared = new Map<number, Map<CommandSlug, CommandType>>()

const findShared = (slug: CommandSlug, confirmWithin: number): CommandType => {
  let entries = shared.get(confirmWithin)
  if (entries === undefined) shared.set(confirmWithin, (entries = new Map()))
  let entry = entries.get(slug)
  if (entry === undefined) entries.set(slug, (entry = Object.freeze(commandType(slug, confirmWithin))))
  return entry
}

/** The commands that a device takes, each with the limits that its static state sets. */
export const availableCommands = (
  commands: ReadonlyArray<CommandSlug>,
  confirmWithin: number,
  staticState: object | null
): ReadonlyArray<CommandType> =>
  commands.map((slug) => {
    const entry = findShared(slug, confirmWithin)
    const limits = staticState === null ? undefined : commandLimits(slug, { staticState })
    return limits === undefined ? entry : { ...entry, limits }
  })
