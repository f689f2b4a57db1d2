import type { Device } from "@edp/domain/devices/Device"
import type { InterventionCode } from "@edp/domain/devices/Intervention"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { deviceConnectionQuery } from "../../resources/devices.ts"
import { CommandsClient, commandSent } from "../../resources/commands.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useAction } from "../../kit/useAction.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import { ReconnectButton } from "./ReconnectButton.tsx"

/** Obstacles that a new sign-in to the account removes. */
const removedBySignIn: ReadonlySet<InterventionCode> = new Set(["sign_in_again", "scope_missing"])

interface DeviceProps {
  readonly device: Device
}

/** Obstacles between the device and a capability, and how a person removes them. */
export const Interventions = ({ device }: DeviceProps) => {
  const t = useMessages("device")
  const commands = useMessages("deviceCommands")
  const account = currentValue(useAtomValue(deviceConnectionQuery(device.id)))?.account
  const { intervention } = useServiceTexts()
  return device.interventions
    .map((each) => ({ ...each, ...intervention(each) }))
    .map(({ code, title, steps, actor, blocks }) => (
      <Notice
        key={code}
        state="warn"
        title={title}
        actions={removedBySignIn.has(code) && <ReconnectButton accountId={account?.id} />}
      >
        <p>{t.intervention({ actor: t.actors[actor] })}</p>
        <ol className="device-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {blocks.length > 0 && (
          <p className="muted">
            {t.blocks({
              what: blocks.map((each) => (each === "telemetry" ? t.telemetry : commands.names[each])).join(", ")
            })}
          </p>
        )}
      </Notice>
    ))
}

const EndNow = ({ deviceId }: { readonly deviceId: string }) => {
  const t = useMessages("device")
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
  const t = useMessages("device")
  const { words } = useMessages("fields")
  const { forcedMode, type } = device
  if (forcedMode === undefined) return null
  return (
    <Notice state="info" title={t.forced} actions={type === "battery" && <EndNow deviceId={device.id} />}>
      <p>
        {t.forcedLead({ mode: words[forcedMode.mode] ?? forcedMode.mode, source: t.sources[forcedMode.source] })} ·{" "}
        {t.forcedUntil} <Age time={forcedMode.until} />
      </p>
      <p>{t.forcedThen}</p>
    </Notice>
  )
}
