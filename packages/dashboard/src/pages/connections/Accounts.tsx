import { type ConnectedAccount, connectedAccountStatuses } from "@edp/domain/connections/ConnectedAccount"
import { getRouteApi, Link } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { useChange } from "../../kit/useChange.ts"
import { accountStates, Credentials } from "./accountComponents.tsx"
import { AccountDetails } from "./AccountDetails.tsx"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"
import { accountsQuery } from "./queries.ts"
import { messages } from "./messages.ts"

const route = getRouteApi("/dashboard/connections")

const ToDo = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useMessages(messages)
  if (account.status === "disconnected") return "–"
  if (account.status === "failed") return <Badge state="bad">{t.signInAgain}</Badge>
  if (account.interventionCount > 0) return <Badge state="warn">{t.interventions(account.interventionCount)}</Badge>
  if (account.failures > 0) return <Badge state="warn">{t.calls(account.failures)}</Badge>
  return <span className="muted">{t.nothing}</span>
}

interface ListProps {
  readonly rows: ReadonlyArray<ConnectedAccount>
  readonly waiting: boolean
  readonly isFiltered: boolean
}

const List = ({ rows, waiting, isFiltered }: ListProps) => {
  const t = useMessages(messages)
  const language = useLanguage()
  const { name } = useManufacturers()
  const change = useChange(route.useNavigate())
  const count = (value: number) => formatNumber(language, value)
  return (
    <Table
      caption={t.accountsCaption}
      rows={rows}
      id={(row) => row.id}
      waiting={waiting}
      empty={
        <Empty icon="plug" title={isFiltered ? t.noMatch : t.noAccounts}>
          {isFiltered ? undefined : t.noAccountsHint}
        </Empty>
      }
      columns={[
        { id: "account", header: t.account, isName: true, cell: (row) => row.name },
        { id: "manufacturer", header: t.manufacturer, cell: (row) => name(row.manufacturer) },
        {
          id: "customer",
          header: t.customer,
          cell: ({ customer }) =>
            customer === null ? (
              "–"
            ) : (
              <Link to="/dashboard/customers/$id" params={{ id: customer.id }}>
                {customer.name}
              </Link>
            )
        },
        {
          id: "status",
          header: t.status,
          cell: (row) => <Badge state={accountStates[row.status]}>{t.accountStatuses[row.status]}</Badge>
        },
        {
          id: "devices",
          header: t.devices,
          cell: (row) => t.devicesConnected(count(row.connectedDeviceCount), count(row.deviceCount))
        },
        { id: "credentials", header: t.credentials, isExtra: true, cell: (row) => <Credentials account={row} /> },
        { id: "todo", header: t.todo, cell: (row) => <ToDo account={row} /> },
        {
          id: "connected",
          header: t.connected,
          isExtra: true,
          cell: (row) => <Age time={row.connectedAt} />
        },
        {
          id: "details",
          header: "",
          align: "end",
          cell: (row) => (
            <Button small tone="quiet" aria-label={t.openDetails(row.name)} onClick={() => change({ account: row.id })}>
              {t.details}
            </Button>
          )
        }
      ]}
    />
  )
}

/** The accounts that people have connected. */
export const Accounts = () => {
  const t = useMessages(messages)
  const { account: opened, manufacturer, page = 1, status } = route.useSearch()
  const change = useChange(route.useNavigate())
  const query = accountsQuery({ page, status, manufacturer })
  return (
    <>
      <div className="filters">
        <SelectField
          label={t.status}
          value={status ?? ""}
          options={[
            { value: "", label: t.allStatuses },
            ...connectedAccountStatuses.map((value) => ({ value, label: t.accountStatuses[value] }))
          ]}
          onChange={(value) => change({ status: value || undefined, page: undefined })}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug, page: undefined })} />
      </div>
      <Card flush>
        <Loaded query={query}>
          {(response, { waiting }) => (
            <>
              <List
                rows={response.data}
                waiting={waiting}
                isFiltered={status !== undefined || manufacturer !== undefined}
              />
              <Pager {...response} onPage={(next) => change({ page: next })} />
              <AccountDetails
                account={response.data.find(({ id }) => id === opened)}
                onClose={() => change({ account: undefined }, { replace: true })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
