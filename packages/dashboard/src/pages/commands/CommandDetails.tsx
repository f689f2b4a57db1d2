import { useEffect, useRef } from "react"
import { workspaceAtom } from "../../api/session.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { commandQuery } from "../../resources/commands.ts"
import { CommandItem, isCommandOpen } from "../../kit/commands/CommandItem.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { useAtomRefresh, useAtomValue } from "../../state/atoms.ts"
import { tickAtom } from "../../state/now.ts"
import { NamedDeviceLink } from "./NamedDeviceLink.tsx"

/** Reads a command again while it is under way, because its steps are no events. */
const Following = ({ id }: { readonly id: string }) => {
  const tick = useAtomValue(tickAtom)
  const refresh = useAtomRefresh(commandQuery(id))
  const last = useRef(tick)
  useEffect(() => {
    if (last.current === tick) return
    last.current = tick
    refresh()
  }, [tick, refresh])
  return null
}

interface CommandDetailsProps {
  /** The command of the address; undefined for none. */
  readonly id: string | undefined
  readonly onClose: () => void
}

/** The life of a command: its input, the time of each step, its reason and the response of the manufacturer. */
export const CommandDetails = ({ id, onClose }: CommandDetailsProps) => {
  const t = useMessages("commands")
  const timeZone = useAtomValue(workspaceAtom)?.timezone ?? "UTC"
  return (
    <Dialog open={id !== undefined} onClose={onClose} title={t.command} wide>
      {id !== undefined && (
        <Loaded query={commandQuery(id)}>
          {(command) => (
            <>
              <p>
                {t.device}: <NamedDeviceLink id={command.deviceId} />
              </p>
              <CommandItem key={command.id} command={command} timeZone={timeZone} isExpanded />
              {isCommandOpen(command) && <Following id={id} />}
            </>
          )}
        </Loaded>
      )}
    </Dialog>
  )
}
