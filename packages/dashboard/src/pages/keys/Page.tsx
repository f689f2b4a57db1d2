import type { ApiKey } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyStatus, apiKeyStatuses } from "@edp/domain/api-keys/ApiKey"
import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom } from "../../api/session.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { SelectField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, PageHeader } from "../../kit/Parts.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { CreateKey } from "./CreateKey.tsx"
import { API_KEYS, KeysClient, keysQuery } from "./queries.ts"
import { RenameKey } from "./RenameKey.tsx"
import { RotateKey } from "./RotateKey.tsx"
import { texts } from "./texts.ts"
import "./page.css"

const badges = { ACTIVE: "good", EXPIRED: "warn", REVOKED: "plain" } as const

const statusAt = ({ expiresAt, revoked }: ApiKey, now: number): ApiKeyStatus => {
  if (revoked) return "REVOKED"
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "EXPIRED" : "ACTIVE"
}

const oneOf = <Value extends string>(values: ReadonlyArray<Value>, text: string | undefined) =>
  values.find((value) => value === text)

type Opened = { readonly key: ApiKey; readonly act: "rename" | "rotate" | "revoke" } | { readonly act: "create" }

const RevokeKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useTexts(texts)
  const toast = useToast()
  const call = useApi(KeysClient)
  const isOwn = useAtomValue(sessionAtom)?.key.id === apiKey.id
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.revokeTitle(apiKey.name)}
      name={apiKey.name}
      action={t.revokeAction}
      act={async () => {
        await call((client) => client.apiKeys.revoke({ params: { id: apiKey.id } }), [API_KEYS])
        toast.done(t.revoked)
      }}
    >
      <p>{t.revokeLead}</p>
      {isOwn && <p>{t.revokeOwn}</p>}
    </ConfirmDialog>
  )
}

export const Page = () => {
  const t = useTexts(texts)
  const language = useLanguage()
  const now = useAtomValue(minuteAtom)
  const session = useAtomValue(sessionAtom)
  const [parameters, change] = useParameters()
  const [opened, setOpened] = useState<Opened>()
  const workspaces = session?.workspaces ?? []
  const type = oneOf(apiKeyTypes, parameters["type"])
  const status = oneOf(apiKeyStatuses, parameters["status"])
  const place = workspaces.find(({ id }) => id === parameters["in"])?.id
  const close = () => setOpened(undefined)

  const query = keysQuery({
    page: pageNumber(parameters["page"]),
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
    parameter: string,
    value: Value | undefined,
    options: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  ) => (
    <SelectField<Value | "">
      label={label}
      value={value ?? ""}
      options={[{ value: "", label: t.all }, ...options]}
      onChange={(next) => change({ [parameter]: next === "" ? undefined : next, page: undefined })}
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
          "type",
          type,
          apiKeyTypes.map((value) => ({ value, label: t.types[value] }))
        )}
        {select<ApiKeyStatus>(
          t.status,
          "status",
          status,
          apiKeyStatuses.map((value) => ({ value, label: t.statuses[value] }))
        )}
        {workspaces.length > 1 &&
          select(
            t.workspace,
            "in",
            place,
            workspaces.map(({ id, name }) => ({ value: id, label: name }))
          )}
      </div>
      <Card flush>
        <PagedTable
          query={query}
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
