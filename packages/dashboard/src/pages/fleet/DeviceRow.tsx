import { type FleetDevice, type FleetFigure, makeFigure } from "@edp/domain/dashboard/Fleet"
import { memo } from "react"
import { deviceStateAtom } from "../../api/liveState.ts"
import { formatQuantity, type Unit } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { deviceMessages } from "../../kit/deviceMessages.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { messages } from "./messages.ts"

const units: Readonly<Record<FleetFigure["values"][number]["unit"], Unit>> = { percent: "%", W: "W", degF: "°F" }

const Figures = ({ figure }: { readonly figure: FleetFigure | null }) => {
  const t = useMessages(messages)
  const language = useLanguage()
  if (figure === null) return <span className="muted">{t.noFigure}</span>
  return figure.values.map(({ field, unit, value }) => (
    <span key={field} className="fleet-value">
      {formatQuantity(language, value, units[unit])}
    </span>
  ))
}

export const devicePath = (id: string) => `/dashboard/devices/${id}`
export const sitePath = (id: string) => `/dashboard/sites/${id}`

/** The device with its newest state, if the live stream has a newer one than the list. */
const useLive = (device: FleetDevice): FleetDevice => {
  const live = useAtomValue(deviceStateAtom(device.id))
  if (live === undefined || (live.lastOnlineAt ?? "") < (device.lastReportedAt ?? "")) return device
  return {
    ...device,
    onlineStatus: live.onlineStatus,
    lastReportedAt: live.lastOnlineAt,
    figure: live.lastOnlineAt === null ? null : makeFigure(device.type, live.state, live.lastOnlineAt)
  }
}

/** The cells of a device. Links are plain: the list opens them within the page. */
const Cells = ({ device: listed }: { readonly device: FleetDevice }) => {
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const device = useLive(listed)
  return (
    <>
      <div role="cell" className="fleet-cell fleet-name">
        <a href={devicePath(device.id)}>{device.name}</a>
        <span className="fleet-note">
          <span className={`fleet-mark ${device.onlineStatus}`} aria-hidden="true" />
          {words.online[device.onlineStatus]}
          {device.status === "disconnected" && <> · {t.disconnected}</>}
        </span>
      </div>
      <div role="cell" className="fleet-cell fleet-type">
        <span>{words.types[device.type]}</span>
        <span className="fleet-note">
          {device.manufacturer.name} · {device.model}
        </span>
      </div>
      <div role="cell" className="fleet-cell fleet-figure">
        <span>
          <Figures figure={device.figure} />
        </span>
        <span className="fleet-note">
          <Age time={device.lastReportedAt} live />
        </span>
      </div>
      <div role="cell" className="fleet-cell fleet-site">
        {device.siteId === null ? (
          <span className="muted">{t.noSite}</span>
        ) : (
          <a href={sitePath(device.siteId)}>{device.siteName}</a>
        )}
        <span className="fleet-note">{device.customerName}</span>
      </div>
      <div role="cell" className="fleet-cell fleet-alerts">
        {device.openAlerts > 0 && <Badge state="warn">{t.alertCount(device.openAlerts)}</Badge>}
      </div>
    </>
  )
}

/** A device, or its place until it is read. */
export const DeviceRow = memo(({ device }: { readonly device: FleetDevice | undefined }) => {
  const t = useMessages(messages)
  return (
    <div className={device === undefined ? "fleet-row waiting" : "fleet-row"} role="presentation">
      {device === undefined ? (
        <div role="cell" className="fleet-cell fleet-name">
          <span className="fleet-blank">
            <span className="hidden">{t.loadingRow}</span>
          </span>
        </div>
      ) : (
        <Cells device={device} />
      )}
    </div>
  )
})
