import type { Command } from "@edp/domain/commands/Command"
import type { CommandStatus } from "@edp/domain/commands/CommandStatus"
import type { Device } from "@edp/domain/devices/Device"
import { Link } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { commandChanged, CommandsClient, deviceCommandsQuery } from "../../resources/commands.ts"
import { deviceQuery } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { CopyButton } from "../../kit/Copy.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty, Facts, type State } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomRefresh, useAtomValue } from "../../state/atoms.ts"
import { tickAtom } from "../../state/now.ts"
import { CommandForm } from "./CommandForm.tsx"
import { commandMessages } from "./commandMessages.ts"
import { fieldMessages } from "./fieldMessages.ts"

const route = pageRoute("/dashboard/devices/$id")

const statusStates: Readonly<Record<CommandStatus, State>> = {
  pending: "info",
  scheduled: "info",
  delivered: "info",
  completed: "good",
  failed: "bad"
}

interface CommandProps {
  readonly command: Command
  readonly timeZone: string
}

const isOpen = ({ status }: Command) => status !== "completed" && status !== "failed"
const isCancellable = ({ status }: Command) => status === "pending" || status === "scheduled"

/** The input in words, such as "Mode: Charge, Power, W: 1500". */
const useInputText = () => {
  const t = useMessages(commandMessages)
  const { words, yes, no } = useMessages(fieldMessages)
  const show = (value: unknown) =>
    typeof value === "boolean" ? (value ? yes : no) : (words[String(value)] ?? String(value))
  return (input: Readonly<Record<string, unknown>>) =>
    Object.entries(input)
      .map(([name, value]) => `${t.inputs[name] ?? name}: ${show(value)}`)
      .join(" · ")
}

const Transitions = ({ command, timeZone }: CommandProps) => {
  const t = useMessages(commandMessages)
  const language = useLanguage()
  const show = (time: string) =>
    formatTime(language, Date.parse(time), { dateStyle: "medium", timeStyle: "medium", timeZone })
  return (
    <ol className="device-transitions">
      {command.transitions.map(({ status, at }) => (
        <li key={status} className={statusStates[status]}>
          <span>
            {t.steps[status]}
            {(status === "failed" || status === "completed") && command.reason && `: ${t.reasons[command.reason]}`}
            {status === "completed" && command.note && `: ${t.notes[command.note.code]}`}
          </span>
          <time dateTime={at}>{show(at)}</time>
        </li>
      ))}
      {isCancellable(command) && command.scheduledFor !== undefined && (
        <li className="plain">
          <span>{t.due}</span>
          <time dateTime={command.scheduledFor}>{show(command.scheduledFor)}</time>
        </li>
      )}
      {isCancellable(command) && command.expiresAt !== undefined && (
        <li className="plain">
          <span>{t.expires}</span>
          <time dateTime={command.expiresAt}>{show(command.expiresAt)}</time>
        </li>
      )}
      {command.lateResult !== undefined && (
        <li className={statusStates[command.lateResult.status]}>
          <span>
            {t.late(t.statuses[command.lateResult.status])}
            {command.lateResult.reason && `: ${t.reasons[command.lateResult.reason]}`}
          </span>
          <time dateTime={command.lateResult.at}>{show(command.lateResult.at)}</time>
        </li>
      )}
    </ol>
  )
}

const Upstream = ({ upstream }: { readonly upstream: Command["upstream"] }) => {
  const t = useMessages(commandMessages)
  if (upstream === null) return <p className="muted">{t.noUpstream}</p>
  const { statusCode, errorCode, errorMessage, requestId } = upstream
  return (
    <div className="stack tight">
      <Facts
        items={[
          [t.upstreamFields.statusCode, statusCode],
          [t.upstreamFields.errorCode, errorCode],
          [t.upstreamFields.requestId, requestId]
        ]}
      />
      {errorMessage !== null && (
        <>
          <p className="muted">{t.upstreamFields.errorMessage}</p>
          <pre className="device-raw" tabIndex={0} role="region" aria-label={t.upstreamFields.errorMessage}>
            {errorMessage}
          </pre>
        </>
      )}
    </div>
  )
}

const CancelButton = ({ command }: { readonly command: Command }) => {
  const t = useMessages(commandMessages)
  const toast = useToast()
  const call = useApi(CommandsClient)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        {t.cancel}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t.cancelTitle}
        action={t.cancelAction}
        act={async () => {
          await call((client) => client.commands.cancel({ params: { id: command.id } }), commandChanged)
          toast.done(t.cancelled)
        }}
      >
        {t.cancelLead}
      </ConfirmDialog>
    </>
  )
}

const OneCommand = ({ command, timeZone }: CommandProps) => {
  const t = useMessages(commandMessages)
  const inputText = useInputText()
  // One that ends while it is looked at stays open.
  const [wasOpen] = useState(isOpen(command))
  const input = inputText(command.input as Readonly<Record<string, unknown>>)
  return (
    <li className="device-command">
      <div className="device-command-head">
        <strong>{t.names[command.type]}</strong>
        <Badge state={statusStates[command.status]}>{t.statuses[command.status]}</Badge>
        {command.reason !== undefined && <span>{t.reasons[command.reason]}</span>}
        {command.note !== undefined && <span>{t.notes[command.note.code]}</span>}
        <span className="muted">
          <Age time={command.issuedAt} live timeZone={timeZone} />
        </span>
        {isCancellable(command) && <CancelButton command={command} />}
      </div>
      {input !== "" && <p>{input}</p>}
      <details open={wasOpen}>
        <summary>{t.more}</summary>
        <div className="stack">
          <div>
            <h3>{t.transitions}</h3>
            <Transitions command={command} timeZone={timeZone} />
          </div>
          <div>
            <h3>{t.upstream}</h3>
            <Upstream upstream={command.upstream} />
          </div>
          {command.output !== null && (
            <div>
              <h3>{t.output}</h3>
              <pre className="device-raw" tabIndex={0} role="region" aria-label={t.output}>
                {JSON.stringify(command.output, null, 2)}
              </pre>
            </div>
          )}
          <Facts
            items={[
              [
                t.source,
                command.source === "dispatch" && command.sourceId !== undefined ? (
                  <Link key="source" to="/dashboard/dispatches/$id" params={{ id: command.sourceId }}>
                    {t.sources.dispatch}
                  </Link>
                ) : (
                  t.sources[command.source]
                )
              ],
              ...(command.forcedMode === undefined
                ? []
                : [[t.holds, <Age key="holds" time={command.forcedMode.until} />] as const]),
              ...(command.batchId === undefined ? [] : [[t.batch, command.batchId] as const]),
              [
                t.id,
                <span key="id" className="device-id">
                  <code>{command.id}</code>
                  <CopyButton text={command.id} />
                </span>
              ]
            ]}
          />
        </div>
      </details>
    </li>
  )
}

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

interface ListProps {
  readonly commands: ReadonlyArray<Command>
  readonly deviceId: string
  readonly page: number
  readonly timeZone: string
}

const CommandList = ({ commands, deviceId, page, timeZone }: ListProps) => {
  const t = useMessages(commandMessages)
  useFollow(
    commands.some((command) => isOpen(command) && command.status !== "scheduled"),
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
        <OneCommand key={command.id} command={command} timeZone={timeZone} />
      ))}
    </ul>
  )
}

interface CommandsProps {
  readonly device: Device
  readonly timeZone: string
}

/** Sends commands, and shows what became of each. */
export const CommandsView = ({ device, timeZone }: CommandsProps) => {
  const t = useMessages(commandMessages)
  const page = route.useSearch().page ?? 1
  const change = route.useChange()
  return (
    <>
      <Card title={t.send}>
        <CommandForm device={device} timeZone={timeZone} />
      </Card>
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
