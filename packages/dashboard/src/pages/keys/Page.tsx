import type { ApiKey } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyStatus, apiKeyStatuses } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom } from "../../api/session.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { CheckField, SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader } from "../../kit/components.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useChange } from "../../kit/useChange.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { CreateKey } from "./CreateKey.tsx"
import { API_KEYS, KeysClient, keysQuery } from "./queries.ts"
import { RenameKey } from "./RenameKey.tsx"
import { RotateKey } from "./RotateKey.tsx"
import { messages } from "./messages.ts"
import "./page.css"

const route = getRouteApi("/dashboard/keys")

const badges = { ACTIVE: "good", EXPIRED: "warn", REVOKED: "plain" } as const

const statusAt = ({ expiresAt, revoked }: ApiKey, now: number): ApiKeyStatus => {
  if (revoked) return "REVOKED"
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "EXPIRED" : "ACTIVE"
}

type Opened = { readonly key: ApiKey; readonly act: "rename" | "rotate" | "revoke" } | { readonly act: "create" }

const RevokeKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useMessages(messages)
  const toast = useToast()
  const call = useApi(KeysClient)
  const isOwn = useAtomValue(sessionAtom)?.key.id === apiKey.id
  const [keepsMade, setKeepsMade] = useState(false)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.revokeTitle(apiKey.name)}
      name={apiKey.name}
      action={t.revokeAction}
      act={async () => {
        const payload = keepsMade ? ({ made: "keep" } as const) : {}
        await call((client) => client.apiKeys.revoke({ params: { id: apiKey.id }, payload }), [API_KEYS])
        toast.done(t.revoked)
      }}
    >
      <p>{t.revokeLead}</p>
      {isOwn && <p>{t.revokeOwn}</p>}
      {apiKey.type === "MANAGEMENT" && <CheckField label={t.keepMade} checked={keepsMade} onChange={setKeepsMade} />}
    </ConfirmDialog>
  )
}

export const Page = () => {
  const t = useMessages(messages)
  const language = useLanguage()
  const now = useAtomValue(minuteAtom)
  const session = useAtomValue(sessionAtom)
  const { in: workspaceId, page = 1, status, type } = route.useSearch()
  const change = useChange(route.useNavigate())
  const [opened, setOpened] = useState<Opened>()
  const workspaces = session?.workspaces ?? []
  const place = workspaces.find(({ id }) => id === workspaceId)?.id
  const close = () => setOpened(undefined)

  const query = keysQuery({
    page,
    perPage: 25,
    ...(type && { type: [type] }),
    ...(status && { status: [status] }),
    ...(place && { workspaceId: [place] })
  })

  const columns: ReadonlyArray<Column<ApiKey>> = [
    {
      id: "name",
      header: t.name,
      isName: true,
      cell: (key) => (
        <>
          {key.name} {session?.key.id === key.id && <Badge state="info">{t.own}</Badge>}
        </>
      )
    },
    { id: "key", header: t.key, cell: ({ keyPrefix }) => <code>{keyPrefix}…</code> },
    { id: "type", header: t.type, cell: (key) => <span title={t.typeHints[key.type]}>{t.types[key.type]}</span> },
    {
      id: "workspace",
      header: t.workspace,
      isExtra: true,
      cell: ({ workspaceId }) => workspaces.find(({ id }) => id === workspaceId)?.name ?? workspaceId
    },
    {
      id: "status",
      header: t.status,
      cell: (key) => <Badge state={badges[statusAt(key, now)]}>{t.statuses[statusAt(key, now)]}</Badge>
    },
    { id: "used", header: t.lastUsed, cell: ({ lastUsedAt }) => <Age time={lastUsedAt} /> },
    { id: "created", header: t.created, isExtra: true, cell: ({ createdAt }) => <Age time={createdAt} /> },
    {
      id: "expires",
      header: t.expires,
      isExtra: true,
      cell: ({ expiresAt }) =>
        expiresAt === null ? (
          <span className="muted">{t.never}</span>
        ) : (
          <time dateTime={expiresAt}>{formatTime(language, Date.parse(expiresAt), { dateStyle: "medium" })}</time>
        )
    },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (key) =>
        key.revoked ? null : (
          <Menu
            trigger={<IconButton icon="more" label={t.actionsFor(key.name)} />}
            items={[
              { id: "rename", label: t.rename, onSelect: () => setOpened({ key, act: "rename" }) },
              ...(key.type === "SCOPED"
                ? []
                : [{ id: "rotate", label: t.rotate, onSelect: () => setOpened({ key, act: "rotate" }) }]),
              { id: "revoke", label: t.revoke, danger: true, onSelect: () => setOpened({ key, act: "revoke" }) }
            ]}
          />
        )
    }
  ]

  const select = <Value extends string>(
    label: string,
    value: Value | undefined,
    options: ReadonlyArray<{ readonly value: Value; readonly label: string }>,
    onChoose: (value: Value | undefined) => void
  ) => (
    <SelectField<Value | "">
      label={label}
      value={value ?? ""}
      options={[{ value: "", label: t.all }, ...options]}
      onChange={(next) => onChoose(next || undefined)}
    />
  )

  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button tone="main" icon="plus" onClick={() => setOpened({ act: "create" })}>
            {t.create}
          </Button>
        }
      />
      <div className="filters" role="group" aria-label={t.filters}>
        {select<ApiKeyType>(
          t.type,
          type,
          apiKeyTypes.map((value) => ({ value, label: t.types[value] })),
          (next) => change({ type: next, page: undefined })
        )}
        {select<ApiKeyStatus>(
          t.status,
          status,
          apiKeyStatuses.map((value) => ({ value, label: t.statuses[value] })),
          (next) => change({ status: next, page: undefined })
        )}
        {workspaces.length > 1 &&
          select(
            t.workspace,
            place,
            workspaces.map(({ id, name }) => ({ value: id, label: name })),
            (next) => change({ in: next, page: undefined })
          )}
      </div>
      <Card flush>
        <PagedTable
          query={query}
          onPage={(next) => change({ page: next })}
          caption={t.caption}
          columns={columns}
          id={({ id }) => id}
          name={({ name }) => name}
          empty={
            <Empty icon="key" title={t.empty}>
              {t.emptyNext}
            </Empty>
          }
        />
      </Card>
      {opened?.act === "create" && <CreateKey onClose={close} />}
      {opened?.act === "rename" && <RenameKey apiKey={opened.key} onClose={close} />}
      {opened?.act === "rotate" && <RotateKey apiKey={opened.key} onClose={close} />}
      {opened?.act === "revoke" && <RevokeKey apiKey={opened.key} onClose={close} />}
    </>
  )
}
