import type { Customer } from "@edp/domain/customers/Customer"
import { useMessages } from "../../../i18n/useMessages.ts"
import { customerDevicesQuery } from "../../../resources/devices.ts"
import { useDeviceColumns } from "../../../kit/deviceColumns.tsx"
import { RecordList } from "../../../kit/RecordList.tsx"
import { SiteLink } from "../../../kit/recordLinks.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/customers/$id")

/** The devices at the customer's sites, and those that the customer connected. */
export const Devices = ({ customer }: { readonly customer: Customer }) => {
  const t = useMessages("customers")
  const devices = route.useSearch().devices
  const change = route.useChange()
  const columns = useDeviceColumns({
    id: "site",
    header: t.site,
    isExtra: true,
    cell: ({ siteId, location }) =>
      siteId === null ? "–" : <SiteLink id={siteId}>{location?.address.streetOne ?? t.site}</SiteLink>
  })
  return (
    <RecordList
      title={t.devices}
      query={customerDevicesQuery(customer.id, devices)}
      paging={{ onPage: (page) => change({ devices: page }) }}
      id={({ id }) => id}
      columns={columns}
      none={{ icon: "battery", title: t.noDevices, hint: t.noDevicesHint }}
    />
  )
}
