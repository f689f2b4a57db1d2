import type { Customer } from "@edp/domain/customers/Customer"
import type { Device } from "@edp/domain/devices/Device"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMessages } from "../../../i18n/useMessages.ts"
import { deviceMessages, onlineStates } from "../../../kit/deviceMessages.ts"
import { Age } from "../../../kit/Figure.tsx"
import { Loaded } from "../../../kit/Loaded.tsx"
import { Pager } from "../../../kit/Pager.tsx"
import { Badge, Card, Empty } from "../../../kit/components.tsx"
import { type Column, Table } from "../../../kit/Table.tsx"
import { useChange } from "../../../kit/useChange.ts"
import { messages } from "../messages.ts"
import { devicesQuery } from "./queries.ts"

const route = getRouteApi("/dashboard/customers/$id")

/** The devices at the customer's sites, and those that the customer connected. */
export const Devices = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages(messages)
  const words = useMessages(deviceMessages)
  const { devices: page = 1 } = route.useSearch()
  const change = useChange(route.useNavigate())
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
      <Loaded query={devicesQuery(customer.id, page)}>
        {({ body: { data, page: shown = 1, totalItems = data.length, totalPages = 1 } }, { waiting }) => (
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
            <Pager
              page={shown}
              totalItems={totalItems}
              totalPages={totalPages}
              onPage={(next) => change({ devices: next })}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
