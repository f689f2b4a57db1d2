import type { SendCommand } from "@edp/domain/commands/Command"
import type { CommandPreview } from "@edp/domain/commands/CommandPreview"
import type { Device } from "@edp/domain/devices/Device"
import { useEffect } from "react"
import { formatQuantity } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../Figure.tsx"
import { Loaded } from "../Loaded.tsx"
import { Notice, type State } from "../components.tsx"
import { useSettled } from "../useSettled.ts"
import { commandPreviewQuery } from "../../resources/commands.ts"
import { useAtomRefresh } from "../../state/atoms.ts"

const states: Readonly<Record<CommandPreview["outcome"], State>> = {
  moves: "good",
  nothing: "warn",
  setting: "info",
  unknown: "warn"
}

/** The preview in the words of the page, from its figures. */
const usePreviewText = () => {
  const t = useMessages("preview")
  const language = useLanguage()
  const watts = (value: number) => formatQuantity(language, Math.abs(value), "W")
  const share = (value: number) => formatQuantity(language, value, "%")
  return (preview: CommandPreview, mode: unknown): string => {
    const { chargePercentage, code, exportW, gridAllowed, homeW, outcome, powerW, stopsAtPercentage } = preview
    const isKnown = chargePercentage !== null && stopsAtPercentage !== null
    const limits = isKnown ? t.limits({ charge: share(chargePercentage), stops: share(stopsAtPercentage) }) : ""
    const withLimits = code === "battery_full" || code === "battery_at_reserve" ? limits : ""
    if (outcome !== "moves") return [t.codes[code], withLimits].filter(Boolean).join(" ")
    const power = powerW === null ? t.unknownPower : watts(powerW)
    const maximum = code === "full_power" ? t.isMaximum : ""
    if (mode !== "charge" && mode !== "discharge") return [t.start({ power }), maximum].filter(Boolean).join(" ")
    const isCharge = mode === "charge"
    const home = homeW === null ? "" : watts(homeW)
    const why = gridAllowed
      ? isCharge
        ? t.importOn
        : t.exportOn
      : isCharge
        ? t.importOff({ surplus: home })
        : t.exportOff({ home })
    return [
      why,
      isCharge ? t.charge({ power }) : t.discharge({ power }),
      maximum,
      exportW !== null && exportW >= 50 ? t.toGrid({ power: watts(exportW) }) : "",
      limits
    ]
      .filter(Boolean)
      .join(" ")
  }
}

interface ForecastProps {
  readonly device: Device
  readonly command: Pick<SendCommand, "type" | "input">
}

/** The effect that the command would have if it were sent now, and the readings that say so. */
export const CommandForecast = ({ device, command }: ForecastProps) => {
  const t = useMessages("preview")
  const { types } = useMessages("devices")
  const text = usePreviewText()
  const settled = useSettled(command)
  const query = commandPreviewQuery(device.id, settled)
  const refresh = useAtomRefresh(query)
  const newest = (device.state as { readonly createdAt?: string }).createdAt
  useEffect(() => {
    if (newest !== undefined) refresh()
  }, [newest, refresh])
  return (
    <Loaded query={query}>
      {(preview) => (
        <Notice state={states[preview.outcome]} title={t.title} className="command-forecast">
          <p>{text(preview, (settled.input as Readonly<Record<string, unknown>>)["operatingMode"])}</p>
          {preview.readings.length > 0 && (
            <p className="muted">
              {t.evidence}{" "}
              {preview.readings.map(({ at, deviceId, type }, index) => (
                <span key={deviceId}>
                  {index > 0 && ", "}
                  {types[type]} <Age time={at} live />
                </span>
              ))}
            </p>
          )}
        </Notice>
      )}
    </Loaded>
  )
}
