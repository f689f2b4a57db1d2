import type { Customer } from "@edp/domain/customers/Customer"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { CustomersClient } from "../../../resources/customers.ts"
import { customerSitesQuery, siteChoicesQuery, siteLinkChanged } from "../../../resources/sites.ts"
import { ButtonLink } from "../../../kit/ButtonLink.tsx"
import { LinkedRecords } from "../../../kit/LinkedRecords.tsx"
import { addressLine, siteName } from "../../../kit/names.ts"
import { SiteLink } from "../../../kit/recordLinks.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/customers/$id")

/** The sites of a customer: more can be linked, and each be unlinked. */
export const Sites = ({ customer: { id: customerId, connectedSiteIds } }: { readonly customer: Customer }) => {
  const t = useMessages("customers")
  const call = useApi(CustomersClient)
  const sites = route.useSearch().sites
  const change = route.useChange()
  return (
    <LinkedRecords
      title={t.sites}
      query={customerSitesQuery(customerId, sites)}
      paging={{ onPage: (page) => change({ sites: page }) }}
      name={siteName}
      columns={[
        {
          id: "name",
          header: t.site,
          isName: true,
          cell: (site) => <SiteLink id={site.id}>{siteName(site)}</SiteLink>
        },
        { id: "address", header: t.address, cell: ({ address }) => addressLine(address) },
        { id: "devices", header: t.devices, align: "end", isExtra: true, cell: ({ deviceCount }) => deviceCount }
      ]}
      rowActions={({ id }) => (
        <ButtonLink small tone="quiet" to="/dashboard/energy" search={{ site: id }}>
          {t.energy}
        </ButtonLink>
      )}
      none={{ icon: "home", title: t.noSites, hint: t.noSitesHint }}
      link={{
        label: t.linkSite,
        hint: t.chooseSite,
        search: siteChoicesQuery,
        options: ({ data, totalItems }) => ({
          options: data
            .filter(({ id }) => !connectedSiteIds.includes(id))
            .map((site) => ({ id: site.id, label: siteName(site), note: addressLine(site.address) })),
          isAll: totalItems <= data.length
        }),
        act: (id) =>
          call((client) => client.customers.linkSite({ params: { id, customerId } }), siteLinkChanged(id, customerId)),
        done: (name) => t.linked({ name })
      }}
      unlink={{
        label: t.unlink,
        title: (name) => t.unlinkTitle({ name }),
        lead: t.unlinkLead,
        act: (id) =>
          call(
            (client) => client.customers.unlinkSite({ params: { id, customerId } }),
            siteLinkChanged(id, customerId)
          ),
        done: (name) => t.unlinked({ name })
      }}
    />
  )
}
