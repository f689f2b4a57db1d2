import type { Site } from "@edp/domain/sites/Site"
import { useApi } from "../../../api/makeApi.ts"
import { useMessages } from "../../../i18n/useMessages.ts"
import { customerChoicesQuery, CustomersClient, siteCustomersQuery } from "../../../resources/customers.ts"
import { siteLinkChanged } from "../../../resources/sites.ts"
import { LinkedRecords } from "../../../kit/LinkedRecords.tsx"
import { customerName } from "../../../kit/names.ts"
import { CustomerLink } from "../../../kit/recordLinks.tsx"
import { pageRoute } from "../../../kit/pageRoute.ts"

const route = pageRoute("/dashboard/sites/$id")

/** The customers of a site: more can be linked, and each be unlinked. */
export const Customers = ({ site: { id, customerIds } }: { readonly site: Site }) => {
  const t = useMessages("sites")
  const call = useApi(CustomersClient)
  const customers = route.useSearch().customers
  const change = route.useChange()
  return (
    <LinkedRecords
      title={t.customers}
      query={siteCustomersQuery(id, customers)}
      paging={{ onPage: (page) => change({ customers: page }) }}
      name={customerName}
      columns={[
        {
          id: "name",
          header: t.fields.name,
          isName: true,
          cell: (customer) => <CustomerLink id={customer.id}>{customerName(customer)}</CustomerLink>
        },
        { id: "email", header: t.email, cell: ({ email }) => email ?? "–" },
        { id: "phone", header: t.phone, isExtra: true, cell: ({ phone }) => phone ?? "–" }
      ]}
      none={{ icon: "people", title: t.noCustomers, hint: t.noCustomersHint }}
      link={{
        label: t.linkCustomer,
        hint: t.chooseCustomer,
        search: customerChoicesQuery,
        options: ({ data, totalItems }) => ({
          options: data
            .filter((each) => !customerIds.includes(each.id))
            .map((each) => ({
              id: each.id,
              label: customerName(each),
              ...(each.email !== null && { note: each.email })
            })),
          isAll: totalItems <= data.length
        }),
        act: (customerId) =>
          call((client) => client.customers.linkSite({ params: { id, customerId } }), siteLinkChanged(id, customerId)),
        done: (name) => t.linked({ name })
      }}
      unlink={{
        label: t.unlink,
        title: (name) => t.unlinkTitle({ name }),
        lead: t.unlinkLead,
        act: (customerId) =>
          call(
            (client) => client.customers.unlinkSite({ params: { id, customerId } }),
            siteLinkChanged(id, customerId)
          ),
        done: (name) => t.unlinked({ name })
      }}
    />
  )
}
