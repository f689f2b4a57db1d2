import {
  type ConnectedAccount,
  connectedAccountStatuses,
  type ConnectedAccountStatus
} from "@edp/domain/connections/ConnectedAccount"
import { Link } from "@tanstack/react-router"
import { formatNumber } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Pager } from "../../kit/Pager.tsx"
import { Badge, Card, Empty } from "../../kit/Parts.tsx"
import { Table } from "../../kit/Table.tsx"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { accountStates, Credentials } from "./accountParts.tsx"
import { AccountDetails } from "./AccountDetails.tsx"
import { ManufacturerField, useManufacturers } from "./manufacturers.tsx"
import { accountsQuery } from "./queries.ts"
import { texts } from "./texts.ts"

const ToDo = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useTexts(texts)
  if (account.status === "disconnected") return "–"
  if (account.status === "failed") return <Badge state="bad">{t.signInAgain}</Badge>
  if (account.interventionCount > 0) return <Badge state="warn">{t.interventions(account.interventionCount)}</Badge>
  if (account.failures > 0) return <Badge state="warn">{t.calls(account.failures)}</Badge>
  return <span className="muted">{t.nothing}</span>
}

const isStatus = (text: string | undefined): text is ConnectedAccountStatus =>
  connectedAccountStatuses.includes(text as ConnectedAccountStatus)

interface ListProps {
  readonly rows: ReadonlyArray<ConnectedAccount>
  readonly waiting: boolean
  readonly isFiltered: boolean
}

const List = ({ rows, waiting, isFiltered }: ListProps) => {
  const t = useTexts(texts)
  const language = useLanguage()
  const { name } = useManufacturers()
  const [, change] = useParameters()
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
  const t = useTexts(texts)
  const [parameters, change] = useParameters()
  const status = isStatus(parameters["status"]) ? parameters["status"] : undefined
  const manufacturer = parameters["manufacturer"]
  const query = accountsQuery({ page: pageNumber(parameters["page"]), status, manufacturer })
  return (
    <>
      <div className="filters">
        <SelectField
          label={t.status}
          value={status ?? ""}
          options={[
            { value: "", label: t.allStatuses },
            ...connectedAccountStatuses.map((value) => ({ value: value as string, label: t.accountStatuses[value] }))
          ]}
          onChange={(value) => change({ status: value === "" ? undefined : value, page: undefined })}
        />
        <ManufacturerField value={manufacturer} onChange={(slug) => change({ manufacturer: slug, page: undefined })} />
      </div>
      <Card flush>
        <Loaded query={query}>
          {(answer, { waiting }) => (
            <>
              <List
                rows={answer.data}
                waiting={waiting}
                isFiltered={status !== undefined || manufacturer !== undefined}
              />
              <Pager {...answer} onPage={(page) => change({ page: String(page) })} />
              <AccountDetails
                account={answer.data.find(({ id }) => id === parameters["account"])}
                onClose={() => change({ account: undefined }, { replace: true })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
