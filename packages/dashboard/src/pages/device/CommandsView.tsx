import type { Command } from "@edp/domain/commands/Command"
import type { Device } from "@edp/domain/devices/Device"
import { useEffect, useRef } from "react"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceCommandsQuery } from "../../resources/commands.ts"
import { deviceQuery } from "../../resources/devices.ts"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Card, Empty } from "../../kit/components.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { currentValue, useAtomRefresh, useAtomValue } from "../../state/atoms.ts"
import { minuteAtom, nowMillis, tickAtom } from "../../state/now.ts"
import { CommandEffect } from "./CommandEffect.tsx"
import { CommandForm } from "../../kit/commands/CommandForm.tsx"
import { CommandItem, isCommandOpen } from "../../kit/commands/CommandItem.tsx"

const route = pageRoute("/dashboard/devices/$id")

/** Reads the list and the device again every five seconds while a command is under way, whose steps are no events. */
const useFollow = (isUnderWay: boolean, deviceId: string, page: number) => {
  const tick = useAtomValue(tickAtom)
  const refreshList = useAtomRefresh(deviceCommandsQuery(deviceId, page))
  const refreshDevice = useAtomRefresh(deviceQuery(deviceId))
  const last = useRef(tick)
  useEffect(() => {
    if (last.current === tick) return
    last.current = tick
    if (!isUnderWay) return
    refreshList()
    refreshDevice()
  }, [tick, isUnderWay, refreshList, refreshDevice])
}

/** Time after the completion in which a note may say why nothing moves. */
const NOTED = 3 * 60_000

const isFollowed = (command: Command, now: number) =>
  isCommandOpen(command)
    ? command.status !== "scheduled"
    : command.status === "completed" && Date.parse(command.executedAt ?? command.issuedAt) > now - NOTED

interface ListProps {
  readonly commands: ReadonlyArray<Command>
  readonly deviceId: string
  readonly page: number
  readonly timeZone: string
}

const CommandList = ({ commands, deviceId, page, timeZone }: ListProps) => {
  const t = useMessages("deviceCommands")
  useFollow(
    commands.some((command) => isFollowed(command, nowMillis())),
    deviceId,
    page
  )
  if (commands.length === 0) {
    return (
      <Empty icon="bolt" title={t.noList}>
        {t.noListHint}
      </Empty>
    )
  }
  return (
    <ul className="device-commands">
      {commands.map((command) => (
        <li key={command.id}>
          <CommandItem command={command} timeZone={timeZone} />
        </li>
      ))}
    </ul>
  )
}

interface CommandsProps {
  readonly device: Device
  readonly timeZone: string
}

const RECENT = 24 * 3_600_000

/** The effect of the newest command, unless it is older than a day. */
const Latest = ({ device, timeZone }: CommandsProps) => {
  const t = useMessages("deviceCommands")
  const now = useAtomValue(minuteAtom)
  const newest = currentValue(useAtomValue(deviceCommandsQuery(device.id)))?.body.data[0]
  if (newest === undefined || Date.parse(newest.issuedAt) < now - RECENT) return null
  return (
    <Card title={t.latest}>
      <CommandEffect key={newest.id} command={newest} device={device} timeZone={timeZone} />
    </Card>
  )
}

/** Sends commands, and shows what became of each. */
export const CommandsView = ({ device, timeZone }: CommandsProps) => {
  const t = useMessages("deviceCommands")
  const page = route.useSearch().page ?? 1
  const change = route.useChange()
  return (
    <>
      <Card title={t.send}>
        <CommandForm device={device} timeZone={timeZone} />
      </Card>
      <Latest device={device} timeZone={timeZone} />
      <Card title={t.list} flush>
        <Loaded query={deviceCommandsQuery(device.id, page)}>
          {({ body }) => (
            <>
              <CommandList commands={body.data} deviceId={device.id} page={page} timeZone={timeZone} />
              <Pager
                page={page}
                totalPages={body.totalPages ?? 1}
                totalItems={body.totalItems ?? body.data.length}
                onPage={(next) => change({ page: next })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
