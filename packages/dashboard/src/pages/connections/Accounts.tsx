import { type ConnectedAccount, connectedAccountStatuses } from "@edp/domain/connections/ConnectedAccount"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { accountQuery, accountsQuery } from "../../resources/connections.ts"
import { currentValue, useAtomValue } from "../../state/atoms.ts"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { detailsColumn } from "../../kit/detailsColumn.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { CustomerLink } from "../../kit/recordLinks.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { accountStates, Credentials } from "./accountComponents.tsx"
import { AccountDetails } from "./AccountDetails.tsx"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"

const route = pageRoute("/dashboard/connections")

const ToDo = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useMessages("connections")
  if (account.status === "disconnected") return "–"
  if (account.status === "failed") return <Badge state="bad">{t.signInAgain}</Badge>
  if (account.interventionCount > 0)
    return <Badge state="warn">{t.interventions({ count: account.interventionCount })}</Badge>
  if (account.failures > 0) return <Badge state="warn">{t.calls({ count: account.failures })}</Badge>
  return <span className="muted">{t.nothing}</span>
}

/** The details of an account that is not on this page of the list, such as one that a search has found. */
const UnlistedAccount = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const response = currentValue(useAtomValue(accountQuery(id)))
  return <AccountDetails account={response?.data[0]} onClose={onClose} />
}

/** The accounts that people have connected. */
export const Accounts = () => {
  const t = useMessages("connections")
  const language = useLanguage()
  const { account: opened, manufacturer, page, status } = route.useSearch()
  const change = route.useChange()
  const { name } = useManufacturers()
  const count = (value: number) => formatNumber(language, value)
  return (
    <>
      <div className="filters">
        <ChoiceFilter
          label={t.status}
          all={t.allStatuses}
          value={status}
          values={connectedAccountStatuses}
          name={(value) => t.accountStatuses[value]}
          onChange={(next) => change({ status: next, page: undefined })}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug, page: undefined })} />
      </div>
      <RecordList
        caption={t.accountsCaption}
        query={accountsQuery({ page, status, manufacturer })}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        none={{ icon: "plug", title: t.noAccounts, hint: t.noAccountsHint }}
        noMatch={(status ?? manufacturer) !== undefined && { title: t.noMatch }}
        columns={[
          { id: "account", header: t.account, isName: true, cell: (row) => row.name },
          { id: "manufacturer", header: t.manufacturer, cell: (row) => name(row.manufacturer) },
          {
            id: "customer",
            header: t.customer,
            cell: ({ customer }) =>
              customer === null ? "–" : <CustomerLink id={customer.id}>{customer.name}</CustomerLink>
          },
          {
            id: "status",
            header: t.status,
            cell: (row) => <Badge state={accountStates[row.status]}>{t.accountStatuses[row.status]}</Badge>
          },
          {
            id: "devices",
            header: t.devices,
            cell: (row) => t.devicesConnected({ connected: count(row.connectedDeviceCount), all: row.deviceCount })
          },
          { id: "credentials", header: t.credentials, isExtra: true, cell: (row) => <Credentials account={row} /> },
          { id: "todo", header: t.todo, cell: (row) => <ToDo account={row} /> },
          { id: "connected", header: t.connected, isExtra: true, cell: (row) => <Age time={row.connectedAt} /> },
          detailsColumn<ConnectedAccount>({
            label: t.details,
            title: (row) => t.openDetails({ name: row.name }),
            onOpen: (row) => change({ account: row.id })
          })
        ]}
        above={(rows) => {
          const account = rows.find(({ id }) => id === opened)
          const onClose = () => change({ account: undefined }, { replace: true })
          return account === undefined && opened !== undefined ? (
            <UnlistedAccount id={opened} onClose={onClose} />
          ) : (
            <AccountDetails account={account} onClose={onClose} />
          )
        }}
      />
    </>
  )
}
