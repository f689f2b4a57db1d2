import type { Device } from "@edp/domain/devices/Device"
import type { ReactNode } from "react"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { namedCustomersQuery } from "../../resources/customers.ts"
import { siteQuery } from "../../resources/sites.ts"
import { CopyButton } from "../../kit/Copy.tsx"
import { ListedOf } from "../../kit/ListedOf.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Card, Facts } from "../../kit/components.tsx"
import { CustomerLink, SiteLink } from "../../kit/recordLinks.tsx"
import { DangerCard } from "./DangerCard.tsx"
import { MoveButton } from "./MoveButton.tsx"
import { TagsCard } from "./TagsCard.tsx"
import { ConnectionCard } from "./Why.tsx"

interface DetailsProps {
  readonly device: Device
  readonly manufacturer: string
  readonly timeZone: string
}

const Identifier = ({ text }: { readonly text: string }) => (
  <span className="device-id">
    <code>{text}</code>
    <CopyButton text={text} />
  </span>
)

const IdentityCard = ({ device, manufacturer, timeZone }: DetailsProps) => {
  const t = useMessages("device")
  const words = useMessages("fields")
  const language = useLanguage()
  const time = (value: string | null) =>
    value === null
      ? t.never
      : formatTime(language, Date.parse(value), { dateStyle: "medium", timeStyle: "short", timeZone })
  const items: ReadonlyArray<readonly [string, ReactNode]> = [
    [t.facts.id, <Identifier key="id" text={device.id} />],
    [t.facts.manufacturer, manufacturer],
    [t.facts.model, device.model],
    [t.facts.serial, device.serialNumber],
    [t.facts.manufacturerDeviceId, <Identifier key="mid" text={device.manufacturerDeviceId} />],
    [t.facts.referenceId, device.referenceId],
    ...(device.rawType === null ? [] : [[t.facts.rawType, device.rawType] as const]),
    ...(device.rawModel === null ? [] : [[t.facts.rawModel, device.rawModel] as const]),
    ...(device.modelYear === null ? [] : [[t.facts.modelYear, String(device.modelYear)] as const]),
    ...(device.isHome === undefined
      ? []
      : [[t.facts.isHome, device.isHome === null ? null : device.isHome ? words.yes : words.no] as const]),
    [t.facts.created, time(device.createdAt)],
    [t.facts.updated, time(device.updatedAt)],
    [t.facts.connected, time(device.connectedAt)],
    [t.facts.disconnected, time(device.disconnectedAt)]
  ]
  return (
    <Card title={t.identity}>
      <Facts items={items} />
    </Card>
  )
}

const SiteFacts = ({ siteId }: { readonly siteId: string }) => {
  const t = useMessages("device")
  return (
    <Loaded query={siteQuery(siteId)}>
      {(site) => (
        <Loaded query={namedCustomersQuery(siteId)}>
          {(customers) => (
            <Facts
              items={[
                [
                  t.site,
                  <SiteLink key="site" id={siteId}>
                    {site.name ?? site.address.streetOne}
                  </SiteLink>
                ],
                [
                  t.customers,
                  customers.data.length === 0 ? (
                    t.noCustomers
                  ) : (
                    <span key="customers" className="device-links">
                      {customers.data.map(({ id, firstName, lastName, email }) => (
                        <CustomerLink key={id} id={id}>
                          {[firstName, lastName].filter(Boolean).join(" ") || email || t.unnamed}
                        </CustomerLink>
                      ))}
                      <ListedOf shown={customers.data.length} total={customers.totalItems} />
                    </span>
                  )
                ]
              ]}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

/** The identity of the device, its place, its tags, and the end of its connection. */
export const DetailsView = (props: DetailsProps) => {
  const { device } = props
  const t = useMessages("device")
  return (
    <>
      <IdentityCard {...props} />
      <Card title={t.place} actions={<MoveButton device={device} />}>
        {device.siteId === null ? <p className="muted">{t.noSite}</p> : <SiteFacts siteId={device.siteId} />}
      </Card>
      <ConnectionCard device={device} />
      <TagsCard device={device} />
      <DangerCard device={device} />
    </>
  )
}
