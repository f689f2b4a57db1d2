import type { Command } from "@edp/domain/commands/Command"
import type { Device } from "@edp/domain/devices/Device"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { TimeChart } from "../../charts/TimeChart.tsx"
import { formatQuantity, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { commandStates, useInputText } from "../../kit/commands/CommandItem.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Notice } from "../../kit/components.tsx"
import { historyQuery } from "../../resources/devices.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { useNewer } from "./HistoryCard.tsx"
import { chartSeries, historyCharts, withNewer } from "./history.ts"

const MINUTE = 60_000
const BEFORE = 15 * MINUTE
const AFTER = 60 * MINUTE

/** The newest reading from after a command was accepted; undefined without one. */
export const measuredAfter = (
  { transitions }: Pick<Command, "transitions">,
  readings: ReadonlyArray<RecordedFields>
): RecordedFields | undefined => {
  const accepted = transitions.find(({ status }) => status === "delivered" || status === "completed")?.at
  const newest = readings.at(-1)
  return accepted !== undefined && newest !== undefined && newest.createdAt >= accepted ? newest : undefined
}

/** The activity of the device that a reading shows, such as "Discharging, 0.6 kW"; undefined where it shows none. */
const useActivity = () => {
  const { words } = useMessages("fields")
  const language = useLanguage()
  return (reading: RecordedFields): string | undefined => {
    const activity = reading["chargingState"] ?? reading["operatingMode"]
    const power = reading["chargeRate"] ?? reading["chargerWattage"]
    const parts = [
      ...(typeof activity === "string" ? [words[activity] ?? activity] : []),
      ...(typeof power === "number" && power !== 0 ? [formatQuantity(language, Math.abs(power), "W")] : [])
    ]
    return parts.length === 0 ? undefined : parts.join(", ")
  }
}

interface EffectProps {
  readonly command: Command
  readonly device: Device
  readonly timeZone: string
}

/** A command from the request to its effect: asked, accepted, measured, with the reason where nothing moved, and the chart around it. */
export const CommandEffect = ({ command, device, timeZone }: EffectProps) => {
  const t = useMessages("deviceCommands")
  const { fields } = useMessages("fields")
  const language = useLanguage()
  const inputText = useInputText()
  const activity = useActivity()
  const newer = useNewer(device)
  const now = useAtomValue(minuteAtom)
  const issued = Date.parse(command.issuedAt)
  const from = Math.floor((issued - BEFORE) / MINUTE) * MINUTE
  const to = Math.ceil(Math.min(issued + AFTER, Math.max(now, issued) + BEFORE) / MINUTE) * MINUTE
  const show = (time: string) => formatTime(language, Date.parse(time), { timeStyle: "medium", timeZone })
  const step = (status: Command["status"]) => command.transitions.find((one) => one.status === status)?.at
  const [accepted, ended] = [step("delivered") ?? step("completed"), command.executedAt]
  const reason = command.note ? t.notes[command.note.code] : command.reason && t.reasons[command.reason]
  return (
    <div className="stack">
      <div className="command-item-head">
        <strong>{t.names[command.type]}</strong>
        <Badge state={commandStates[command.status]}>{t.statuses[command.status]}</Badge>
      </div>
      <Loaded query={historyQuery({ id: device.id, from, to, mayBeSampled: false })}>
        {(history) => {
          const readings = withNewer(history.readings, newer, { from, to })
          const measured = measuredAfter(command, readings)
          const [chart] = historyCharts(device.type, readings)
          const series = chart === undefined ? [] : chartSeries(chart, readings, (field) => fields[field] ?? field)
          return (
            <>
              <dl className="command-effect">
                <div>
                  <dt>{t.asked}</dt>
                  <dd>{inputText(command.input as Readonly<Record<string, unknown>>) || "–"}</dd>
                  <dd className="muted">{show(command.issuedAt)}</dd>
                </div>
                <div>
                  <dt>{t.accepted}</dt>
                  <dd>{accepted === undefined ? t.notAccepted : t.statuses[command.status]}</dd>
                  {accepted !== undefined && <dd className="muted">{show(ended ?? accepted)}</dd>}
                </div>
                <div>
                  <dt>{t.measured}</dt>
                  <dd>{(measured && activity(measured)) ?? t.notMeasured}</dd>
                  {measured !== undefined && <dd className="muted">{show(measured.createdAt)}</dd>}
                </div>
              </dl>
              {reason !== undefined && (
                <Notice state={command.status === "failed" ? "bad" : "info"} announced title={t.why}>
                  {reason}
                </Notice>
              )}
              {series.length > 0 && (
                <TimeChart
                  title={t.effectChart}
                  series={series}
                  bands={[
                    {
                      from: issued,
                      to: Math.max(Date.parse(ended ?? command.issuedAt), issued + MINUTE / 2),
                      label: t.command,
                      state: "dispatch"
                    }
                  ]}
                  from={from}
                  to={to}
                  timeZone={timeZone}
                  height={240}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </div>
  )
}
