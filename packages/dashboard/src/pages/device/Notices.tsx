import type { Device } from "@edp/domain/devices/Device"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { CommandsClient, commandSent } from "../../resources/commands.ts"
import { connectionsChanged, ConnectionsClient, deviceSessionQuery } from "../../resources/connections.ts"
import { Button } from "../../kit/Button.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"
import { commandMessages } from "./commandMessages.ts"
import { fieldMessages } from "./fieldMessages.ts"
import { messages } from "./messages.ts"

/** Obstacles that a new sign-in to the account removes. */
const removedBySignIn: ReadonlySet<InterventionCode> = new Set(["sign_in_again", "scope_missing"])

interface DeviceProps {
  readonly device: Device
}

const ReconnectLink = ({ sessionId }: { readonly sessionId: string }) => {
  const t = useMessages(messages)
  const call = useApi(ConnectionsClient)
  const create = useAction(() =>
    call((client) => client.connections.create({ payload: { reconnect: sessionId } }), connectionsChanged)
  )
  const [made, setMade] = useState<{ readonly url: string; readonly expiresAt: string }>()
  if (made !== undefined) {
    return (
      <div className="stack tight">
        <p>{t.reconnectLead}</p>
        <Code text={made.url} label={t.link} />
        <p className="muted">
          {t.linkExpires} <Age time={made.expiresAt} />
        </p>
      </div>
    )
  }
  return (
    <div className="stack tight">
      <p>{t.reconnectLead}</p>
      {create.problem && <ProblemNotice problem={create.problem} />}
      <div className="dialog-actions">
        <Button tone="main" busy={create.busy} onClick={() => void create.run().then(setMade)}>
          {t.reconnect}
        </Button>
      </div>
    </div>
  )
}

const ReconnectButton = ({ device: { id, referenceId, manufacturer } }: DeviceProps) => {
  const t = useMessages(messages)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button small icon="plug" onClick={() => setOpen(true)}>
        {t.reconnect}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.reconnectTitle}>
        <Loaded query={deviceSessionQuery({ id, referenceId, manufacturer })}>
          {(session) => (session === null ? <p>{t.reconnectNone}</p> : <ReconnectLink sessionId={session.id} />)}
        </Loaded>
      </Dialog>
    </>
  )
}

/** Obstacles between the device and a capability, and how a person removes them. */
export const Interventions = ({ device }: DeviceProps) => {
  const t = useMessages(messages)
  const commands = useMessages(commandMessages)
  return device.interventions.map(({ code, title, steps, actor, blocks }) => (
    <Notice
      key={code}
      state="warn"
      title={title}
      actions={removedBySignIn.has(code) && <ReconnectButton device={device} />}
    >
      <p>{t.intervention(t.actors[actor])}</p>
      <ol className="device-steps">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {blocks.length > 0 && (
        <p className="muted">
          {t.blocks(blocks.map((each) => (each === "telemetry" ? t.telemetry : commands.names[each])).join(", "))}
        </p>
      )}
    </Notice>
  ))
}

const EndNow = ({ deviceId }: { readonly deviceId: string }) => {
  const t = useMessages(messages)
  const call = useApi(CommandsClient)
  const reset = useAction(() =>
    call(
      (client) =>
        client.commands.send({
          params: { id: deviceId },
          payload: { type: "battery:set-operating-mode", input: { operatingMode: "reset" } }
        }),
      commandSent(deviceId)
    )
  )
  return (
    <>
      <Button small busy={reset.busy} onClick={() => void reset.run()}>
        {t.endNow}
      </Button>
      {reset.problem && <ProblemNotice problem={reset.problem} />}
    </>
  )
}

/** The mode that a command holds, until when, and what follows. */
export const ForcedModeNotice = ({ device }: DeviceProps) => {
  const t = useMessages(messages)
  const { words } = useMessages(fieldMessages)
  const { forcedMode, type } = device
  if (forcedMode === undefined) return null
  return (
    <Notice state="info" title={t.forced} actions={type === "battery" && <EndNow deviceId={device.id} />}>
      <p>
        {t.forcedLead(words[forcedMode.mode] ?? forcedMode.mode, t.sources[forcedMode.source])} · {t.forcedUntil}{" "}
        <Age time={forcedMode.until} />
      </p>
      <p>{t.forcedThen}</p>
    </Notice>
  )
}
