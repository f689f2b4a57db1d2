import { type ApiKey, type ApiKeyStatus, apiKeyStatuses } from "@edp/domain/api-keys/ApiKey"
import { apiKeyTypes, openAdrKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { sessionAtom } from "../../api/session.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { apiKeyQuery, apiKeysChanged, ApiKeysClient, apiKeysQuery } from "../../resources/apiKeys.ts"
import { Button, IconButton } from "../../kit/Button.tsx"
import { ChoiceFilter } from "../../kit/ChoiceFilter.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { CheckField } from "../../kit/Field.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Menu } from "../../kit/Menu.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { Badge, Card, PageHeader } from "../../kit/components.tsx"
import { type Column, Table } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { pageRoute } from "../../kit/pageRoute.ts"
import { useAtomValue } from "../../state/atoms.ts"
import { minuteAtom } from "../../state/now.ts"
import { CreateKey } from "./CreateKey.tsx"
import { RenameKey } from "./RenameKey.tsx"
import { RotateKey, RotateSecret } from "./RotateKey.tsx"
import "./page.css"

const route = pageRoute("/dashboard/keys")

const badges = { ACTIVE: "good", EXPIRED: "warn", REVOKED: "plain" } as const

const statusAt = ({ expiresAt, revoked }: ApiKey, now: number): ApiKeyStatus => {
  if (revoked) return "REVOKED"
  return expiresAt !== null && Date.parse(expiresAt) <= now ? "EXPIRED" : "ACTIVE"
}

type Opened = { readonly key: ApiKey; readonly act: "rename" | "rotate" | "revoke" }

const RevokeKey = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const t = useMessages("keys")
  const toast = useToast()
  const call = useApi(ApiKeysClient)
  const isOwn = useAtomValue(sessionAtom)?.key.id === apiKey.id
  const [keepsMade, setKeepsMade] = useState(false)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.revokeTitle({ name: apiKey.name })}
      name={apiKey.name}
      action={t.revokeAction}
      act={async () => {
        const payload = keepsMade ? ({ made: "keep" } as const) : {}
        await call((client) => client.apiKeys.revoke({ params: { id: apiKey.id }, payload }), apiKeysChanged)
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
  const t = useMessages("keys")
  const language = useLanguage()
  const now = useAtomValue(minuteAtom)
  const session = useAtomValue(sessionAtom)
  const { edit, in: workspaceId, page, status, type } = route.useSearch()
  const change = route.useChange()
  const [opened, setOpened] = useState<Opened>()
  const workspaces = session?.workspaces ?? []
  const place = workspaces.find(({ id }) => id === workspaceId)?.id
  const workspaceName = (id: string) => workspaces.find((each) => each.id === id)?.name ?? id
  const close = () => setOpened(undefined)

  const columnsWith = (actions: (key: ApiKey) => string): ReadonlyArray<Column<ApiKey>> => [
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
      cell: (key) => workspaceName(key.workspaceId)
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
            trigger={<IconButton icon="more" label={actions(key)} />}
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

  return (
    <>
      <PageHeader
        title={t.title}
        lead={t.lead}
        actions={
          <Button tone="main" icon="plus" onClick={() => change({ edit: "new" })}>
            {t.create}
          </Button>
        }
      />
      {session !== undefined && (
        <Loaded query={apiKeyQuery(session.key.id)}>
          {(own) => (
            <Card title={t.ownTitle} flush>
              <Table
                caption={t.ownTitle}
                rows={[own]}
                id={({ id }) => id}
                columns={columnsWith(() => t.ownActions)}
                name={({ name }) => name}
              />
            </Card>
          )}
        </Loaded>
      )}
      <div className="filters" role="group" aria-label={t.filters}>
        <ChoiceFilter
          label={t.type}
          all={t.allMade}
          value={type}
          values={apiKeyTypes}
          name={(value) => t.types[value]}
          onChange={(next) => change({ type: next, page: undefined })}
        />
        <ChoiceFilter
          label={t.status}
          all={t.all}
          value={status}
          values={apiKeyStatuses}
          name={(value) => t.statuses[value]}
          onChange={(next) => change({ status: next, page: undefined })}
        />
        {workspaces.length > 1 && (
          <ChoiceFilter
            label={t.workspace}
            all={t.all}
            value={place}
            values={workspaces.map(({ id }) => id)}
            name={workspaceName}
            onChange={(next) => change({ in: next, page: undefined })}
          />
        )}
      </div>
      <RecordList
        query={apiKeysQuery({ page, type, status, workspaceId: place })}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        caption={t.caption}
        columns={columnsWith(({ name }) => t.actionsFor({ name }))}
        name={({ name }) => name}
        none={{ icon: "key", title: t.empty, hint: t.emptyNext }}
      />
      {edit === "new" && <CreateKey asked={type} onClose={() => change({ edit: undefined }, { replace: true })} />}
      {opened?.act === "rename" && <RenameKey apiKey={opened.key} onClose={close} />}
      {opened?.act === "rotate" &&
        (openAdrKeyTypes.some((type) => type === opened.key.type) ? (
          <RotateSecret apiKey={opened.key} onClose={close} />
        ) : (
          <RotateKey apiKey={opened.key} onClose={close} />
        ))}
      {opened?.act === "revoke" && <RevokeKey apiKey={opened.key} onClose={close} />}
    </>
  )
}
