import "./page.css"
import type { Device } from "@edp/domain/devices/Device"
import { Link } from "@tanstack/react-router"
import { useMemo } from "react"
import { connectionAtom } from "../../api/connection.ts"
import { deviceStateAtom, useFollowedDevices } from "../../api/liveState.ts"
import { workspaceAtom } from "../../api/session.ts"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { namedCustomersQuery } from "../../resources/customers.ts"
import { deviceConnectionQuery, deviceQuery } from "../../resources/devices.ts"
import { manufacturerQuery } from "../../resources/manufacturers.ts"
import { siteQuery } from "../../resources/sites.ts"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { LoadedRecord } from "../../kit/LoadedRecord.tsx"
import { Badge, PageHeader } from "../../kit/components.tsx"
import { Tabs } from "../../kit/Tabs.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue, currentValue } from "../../state/atoms.ts"
import { nowMillis, tickAtom } from "../../state/now.ts"
import { CustomerLink, SiteLink } from "../../kit/recordLinks.tsx"
import { AlertsView } from "./AlertsView.tsx"
import { CommandsView } from "./CommandsView.tsx"
import { findShownStatus, shownStates } from "./connection.ts"
import { DetailsView } from "./DetailsView.tsx"
import { EnergyView } from "./EnergyView.tsx"
import { HistoryCard } from "./HistoryCard.tsx"
import { ForcedModeNotice, Interventions } from "./Notices.tsx"
import { RenameButton } from "./RenameButton.tsx"
import { RatingsCard, StateCard } from "./StateCard.tsx"
import { Why } from "./Why.tsx"

const route = pageRoute("/dashboard/devices/$id")

const tabIds = ["now", "energy", "commands", "alerts", "details"] as const

/** The site and the customers that the device belongs to. */
const PlaceLinks = ({ siteId }: { readonly siteId: string }) => {
  const t = useMessages("device")
  const kit = useMessages("kit")
  const language = useLanguage()
  const site = currentValue(useAtomValue(siteQuery(siteId)))
  const customers = currentValue(useAtomValue(namedCustomersQuery(siteId)))
  return (
    <>
      <SiteLink id={siteId}>{site?.name ?? site?.address.streetOne ?? t.site}</SiteLink>
      {customers?.data.map(({ id, firstName, lastName, email }) => (
        <CustomerLink key={id} id={id}>
          {[firstName, lastName].filter(Boolean).join(" ") || email || t.unnamed}
        </CustomerLink>
      ))}
      {customers !== undefined && customers.totalItems > customers.data.length && (
        <SiteLink id={siteId}>
          {kit.more({ count: formatNumber(language, customers.totalItems - customers.data.length) })}
        </SiteLink>
      )}
    </>
  )
}

/** The status of the device, which claims no more than was observed. */
const Status = ({ device }: { readonly device: Device }) => {
  const t = useMessages("deviceConnection")
  const connection = currentValue(useAtomValue(deviceConnectionQuery(device.id)))
  const isFollowing = useAtomValue(connectionAtom).kind !== "offline"
  useAtomValue(tickAtom)
  const status = findShownStatus(device, connection, nowMillis(), isFollowing)
  return <Badge state={shownStates[status]}>{t.statuses[status]}</Badge>
}

const Head = ({ device, manufacturer }: { readonly device: Device; readonly manufacturer: string }) => {
  const t = useMessages("device")
  const { types } = useMessages("devices")
  return (
    <PageHeader
      title={device.name}
      above={
        <span className="device-links">
          <Link to="/dashboard/fleet">{t.fleet}</Link>
          {device.siteId !== null && <PlaceLinks siteId={device.siteId} />}
        </span>
      }
      lead={
        <span className="device-lead">
          <Status device={device} />
          {device.disconnectedAt !== null && device.disconnectedAt > (device.connectedAt ?? "") && (
            <Badge state="bad">{t.disconnected}</Badge>
          )}
          {device.lastOnlineAt !== null && (
            <span>
              {t.lastReading} <Age time={device.lastOnlineAt} live />
            </span>
          )}
          <span>
            {types[device.type]} · {manufacturer} {device.model}
          </span>
          {device.serialNumber !== null && <span>{device.serialNumber}</span>}
        </span>
      }
      actions={<RenameButton device={device} />}
    />
  )
}

const Views = ({ device, manufacturer }: { readonly device: Device; readonly manufacturer: string }) => {
  const t = useMessages("device")
  const tab = route.useSearch().tab ?? "now"
  const change = route.useChange()
  const workspace = useAtomValue(workspaceAtom)
  const views = (timeZone: string) => {
    const shared = { device, timeZone }
    return {
      now: (
        <>
          <StateCard {...shared} manufacturer={manufacturer} />
          <HistoryCard {...shared} />
          <RatingsCard device={device} />
        </>
      ),
      energy: <EnergyView {...shared} />,
      commands: <CommandsView {...shared} />,
      alerts: <AlertsView {...shared} />,
      details: <DetailsView {...shared} manufacturer={manufacturer} />
    }
  }
  const tabs = (timeZone: string) => (
    <Tabs
      label={t.tabsLabel}
      value={tab}
      onChange={(next) => change({ tab: next === "now" ? undefined : next, page: undefined })}
      tabs={tabIds.map((id) => ({ id, label: t.tabs[id], content: id === tab ? views(timeZone)[id] : null }))}
    />
  )
  const fallback = workspace?.timezone ?? "UTC"
  return device.siteId === null ? (
    tabs(fallback)
  ) : (
    <Loaded query={siteQuery(device.siteId)}>{(site) => tabs(site.timezone ?? fallback)}</Loaded>
  )
}

const DevicePage = ({ id }: { readonly id: string }) => {
  const t = useMessages("device")
  return (
    <LoadedRecord query={deviceQuery(id)} title={t.title} above={<Link to="/dashboard/fleet">{t.fleet}</Link>}>
      {(device) => <Shown device={device} />}
    </LoadedRecord>
  )
}

/** The device with the state that the live stream has brought since it was read. */
const useLive = (device: Device): Device => {
  useFollowedDevices(useMemo(() => [device.id], [device.id]))
  const live = useAtomValue(deviceStateAtom(device.id))
  if (live === undefined || (live.lastOnlineAt ?? "") < (device.lastOnlineAt ?? "")) return device
  const { state, onlineStatus, lastOnlineAt } = live
  return { ...device, state, onlineStatus, lastOnlineAt } as Device
}

const Shown = ({ device: read }: { readonly device: Device }) => {
  const device = useLive(read)
  const manufacturer = currentValue(useAtomValue(manufacturerQuery(device.manufacturer)))?.name ?? device.manufacturer
  return (
    <>
      <Head device={device} manufacturer={manufacturer} />
      <Why device={device} />
      <Interventions device={device} />
      <ForcedModeNotice device={device} />
      <Views device={device} manufacturer={manufacturer} />
    </>
  )
}

export const Page = () => {
  const id = route.useParams().id
  return <DevicePage key={id} id={id} />
}
