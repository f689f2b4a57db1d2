import { type FleetDevice, type FleetFigure, makeFigure } from "@edp/domain/dashboard/Fleet"
import { memo, type ReactNode } from "react"
import { deviceStateAtom } from "../../api/liveState.ts"
import { useDisplayUnits } from "../../api/displayUnits.ts"
import type { Unit } from "../../i18n/format.ts"
import { formatShown } from "../../i18n/units.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { useAtomValue } from "../../state/atoms.ts"
import { type ColumnId, type FigureColumn, figureValue } from "./columns.ts"

const units: Readonly<Record<FleetFigure["values"][number]["unit"], Unit>> = { percent: "%", W: "W", degF: "°F" }
const columnUnits: Readonly<Record<FigureColumn, Unit>> = { power: "W", charge: "%", temperature: "°F" }

export const devicePath = (id: string) => `/dashboard/devices/${id}`
export const sitePath = (id: string) => `/dashboard/sites/${id}`
export const customerPath = (id: string) => `/dashboard/customers/${id}`

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

interface DeviceProps {
  readonly device: FleetDevice
}

const Status = ({ device }: DeviceProps) => {
  const t = useMessages("fleet")
  const words = useMessages("devices")
  return (
    <>
      <span className={`fleet-mark ${device.onlineStatus}`} aria-hidden="true" />
      {device.status === "disconnected" ? t.disconnected : words.online[device.onlineStatus]}
    </>
  )
}

const SiteLink = ({ device }: DeviceProps) => {
  const t = useMessages("fleet")
  return device.siteId === null ? (
    <span className="muted">{t.noSite}</span>
  ) : (
    <a href={sitePath(device.siteId)} title={device.siteName ?? undefined}>
      {device.siteName}
    </a>
  )
}

/** A value of the newest reading. That of a device that is not online is a former one, and looks like it. */
const FigureCell = ({ column, device }: DeviceProps & { readonly column: FigureColumn }) => {
  const t = useMessages("fleet")
  const language = useLanguage()
  const shown = useDisplayUnits()
  const value = figureValue(device, column)
  if (value === undefined) return <span className="muted">–</span>
  const unit = columnUnits[column]
  const text = formatShown(language, value, unit, shown)
  return device.onlineStatus === "online" ? (
    text
  ) : (
    <span className="muted" title={t.formerValue}>
      {text}
    </span>
  )
}

const TypeName = ({ device }: DeviceProps) => useMessages("devices").types[device.type]

const Alerts = ({ device }: DeviceProps) => {
  const t = useMessages("fleet")
  if (device.openAlerts === 0) return null
  return (
    <span className="badge warn" title={t.alertCount({ count: device.openAlerts })}>
      {device.openAlerts}
    </span>
  )
}

const cells: Readonly<Record<ColumnId, (props: DeviceProps) => ReactNode>> = {
  status: (props) => <Status {...props} />,
  type: ({ device }) => <TypeName device={device} />,
  model: ({ device }) => `${device.manufacturer.name} · ${device.model}`,
  power: (props) => <FigureCell {...props} column="power" />,
  charge: (props) => <FigureCell {...props} column="charge" />,
  temperature: (props) => <FigureCell {...props} column="temperature" />,
  reported: ({ device }) => <Age time={device.lastReportedAt} live />,
  site: (props) => <SiteLink {...props} />,
  customer: ({ device }) =>
    device.customerId === null ? null : (
      <a href={customerPath(device.customerId)} title={device.customerName ?? undefined}>
        {device.customerName}
      </a>
    ),
  tags: ({ device }) => device.tags.join(", "),
  serial: ({ device }) => device.serialNumber,
  alerts: (props) => <Alerts {...props} />
}

const isFigure = (id: ColumnId) => id === "power" || id === "charge" || id === "temperature"

export const cellClass = (id: ColumnId) => (isFigure(id) ? "fleet-cell fleet-number" : `fleet-cell fleet-${id}`)

/** The cells of a device. Links are plain: the list opens them within the page. */
const Cells = ({ columns, device: listed }: DeviceProps & { readonly columns: ReadonlyArray<ColumnId> }) => {
  const device = useLive(listed)
  return (
    <>
      <div role="cell" className="fleet-cell fleet-name">
        <a href={devicePath(device.id)} title={device.name}>
          {device.name}
        </a>
      </div>
      {columns.map((id) => {
        const Cell = cells[id]
        return (
          <div key={id} role="cell" className={cellClass(id)}>
            <Cell device={device} />
          </div>
        )
      })}
    </>
  )
}

const Figures = ({ figure }: { readonly figure: FleetFigure | null }) => {
  const t = useMessages("fleet")
  const language = useLanguage()
  const shown = useDisplayUnits()
  if (figure === null) return <span className="muted">{t.noFigure}</span>
  return figure.values.map(({ field, unit, value }) => (
    <span key={field} className="fleet-value">
      {formatShown(language, value, units[unit], shown)}
    </span>
  ))
}

/** A device as a card, on a phone. */
const Card = ({ device: listed }: DeviceProps) => {
  const t = useMessages("fleet")
  const { types } = useMessages("devices")
  const device = useLive(listed)
  return (
    <>
      <div role="cell" className="fleet-cell fleet-name">
        <a href={devicePath(device.id)} title={device.name}>
          {device.name}
        </a>
        <span className="fleet-note">
          <Status device={device} />
        </span>
      </div>
      <div role="cell" className="fleet-cell fleet-kind">
        <span title={types[device.type]}>{types[device.type]}</span>
        <span className="fleet-note" title={device.model}>
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
      <div role="cell" className="fleet-cell fleet-place">
        <SiteLink device={device} />
        <span className="fleet-note" title={device.customerName ?? undefined}>
          {device.customerName}
        </span>
      </div>
      <div role="cell" className="fleet-cell fleet-card-alerts">
        {device.openAlerts > 0 && <Badge state="warn">{t.alertCount({ count: device.openAlerts })}</Badge>}
      </div>
    </>
  )
}

interface DeviceRowProps {
  readonly device: FleetDevice | undefined
  /** Undefined on a phone, where a row is a card. */
  readonly columns: ReadonlyArray<ColumnId> | undefined
  readonly isSelected: boolean
  readonly isAllSelected: boolean
}

/** A device, or its place until it is read. */
export const DeviceRow = memo(({ columns, device, isAllSelected, isSelected }: DeviceRowProps) => {
  const t = useMessages("fleet")
  const kit = useMessages("kit")
  return (
    <div className={columns === undefined ? "fleet-card" : "fleet-row"} role="presentation">
      {columns !== undefined && (
        <div role="cell" className="fleet-cell fleet-check">
          {device && (
            <input
              type="checkbox"
              aria-label={kit.select({ name: device.name })}
              checked={isSelected || isAllSelected}
              disabled={isAllSelected}
              readOnly
            />
          )}
        </div>
      )}
      {device === undefined ? (
        <div role="cell" className="fleet-cell fleet-name">
          <span className="fleet-blank">
            <span className="hidden">{t.loadingRow}</span>
          </span>
        </div>
      ) : columns === undefined ? (
        <Card device={device} />
      ) : (
        <Cells device={device} columns={columns} />
      )}
    </div>
  )
})
