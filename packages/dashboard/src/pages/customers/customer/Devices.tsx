import type { Customer } from "@edp/domain/customers/Customer"
import type { Device } from "@edp/domain/devices/Device"
import { Link } from "@tanstack/react-router"
import { useTexts } from "../../../i18n/useTexts.ts"
import { deviceTexts, onlineStates } from "../../../kit/deviceTexts.ts"
import { Age } from "../../../kit/Figure.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Badge, Card, Empty } from "../../../kit/Parts.tsx"
import { type Column, Table } from "../../../kit/Table.tsx"
import { texts } from "../texts.ts"
import { devicesQuery, LISTED } from "./queries.ts"

/** The devices at the customer's sites, and those that the customer connected. */
export const Devices = ({ customer }: { readonly customer: Customer }) => {
  const t = useTexts(texts)
  const words = useTexts(deviceTexts)
  const columns: ReadonlyArray<Column<Device>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: ({ id, name }) => (
        <Link to="/dashboard/devices/$id" params={{ id }}>
          {name}
        </Link>
      )
    },
    { id: "type", header: t.type, cell: ({ type }) => words.types[type] },
    {
      id: "status",
      header: t.status,
      cell: ({ onlineStatus }) => <Badge state={onlineStates[onlineStatus]}>{words.online[onlineStatus]}</Badge>
    },
    { id: "newest", header: t.newest, cell: ({ lastOnlineAt }) => <Age time={lastOnlineAt} /> },
    {
      id: "site",
      header: t.site,
      isExtra: true,
      cell: ({ siteId, location }) =>
        siteId === null ? (
          "–"
        ) : (
          <Link to="/dashboard/sites/$id" params={{ id: siteId }}>
            {location?.address.streetOne ?? t.site}
          </Link>
        )
    },
    { id: "model", header: t.model, isExtra: true, cell: ({ manufacturer, model }) => `${manufacturer} ${model}` }
  ]
  return (
    <Card title={t.devices} flush>
      <Loaded query={devicesQuery(customer.id)}>
        {({ body: { data, totalItems = data.length } }, { waiting }) => (
          <>
            <Table
              caption={t.devices}
              columns={columns}
              rows={data}
              id={({ id }) => id}
              waiting={waiting}
              empty={
                <Empty icon="battery" title={t.noDevices}>
                  {t.noDevicesHint}
                </Empty>
              }
            />
            {totalItems > data.length && <p className="customers-note muted">{t.firstDevices(LISTED)}</p>}
          </>
        )}
      </Loaded>
    </Card>
  )
}
