import type { DashboardLink, DashboardSession } from "@edp/domain/dashboard/Session"
import { useContext, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { SessionClient, sessionAtom } from "../../api/session.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { madeKeysQuery, sessionsChanged, sessionsQuery } from "../../resources/sessions.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Code } from "../../kit/Copy.tsx"
import { CheckField } from "../../kit/Field.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { RecordList } from "../../kit/RecordList.tsx"
import { Badge, Card, Empty, Facts, PageHeader } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { pageRoute } from "../../kit/pageRoute.ts"
import { RegistryContext, useAtomValue } from "../../state/atoms.ts"
import { browserName } from "./browserName.ts"

const route = pageRoute("/dashboard/account")

const OwnSession = () => {
  const t = useMessages("account")
  const language = useLanguage()
  const registry = useContext(RegistryContext)
  const session = useAtomValue(sessionAtom)
  const call = useApi(SessionClient)
  const [link, setLink] = useState<DashboardLink>()
  const signOut = useAction(async () => {
    await call((client) => client.sessions.signOut())
    registry.set(sessionAtom, undefined)
    location.assign("/")
  })
  const createLink = useAction(async () => setLink(await call((client) => client.sessions.createLink())))
  if (session === undefined) return null
  const { key, organization, signedInAt, version } = session
  const close = () => setLink(undefined)
  return (
    <Card
      title={t.session}
      actions={
        <>
          <Button icon="plus" busy={createLink.busy} onClick={() => void createLink.run()}>
            {t.otherBrowser}
          </Button>
          <Button busy={signOut.busy} onClick={() => void signOut.run()}>
            {t.signOut}
          </Button>
        </>
      }
    >
      {createLink.problem && <ProblemNotice problem={createLink.problem} />}
      {signOut.problem && <ProblemNotice problem={signOut.problem} />}
      <Facts
        items={[
          [t.organization, organization.name],
          [
            t.key,
            <>
              {key.name} <code>{key.keyPrefix}…</code>
            </>
          ],
          [t.signedIn, <Age key="signed-in" time={signedInAt} />],
          [t.version, version]
        ]}
      />
      <p className="hint">
        {t.endsHint} {t.keyHint}
      </p>
      {link !== undefined && (
        <Dialog
          open
          onClose={close}
          title={t.otherTitle}
          description={t.otherLead}
          actions={
            <Button tone="main" onClick={close}>
              {t.close}
            </Button>
          }
        >
          <Code text={link.url} label={t.link} />
          <p className="hint">
            {t.linkEnds} {formatTime(language, Date.parse(link.expiresAt), { timeStyle: "short" })}
          </p>
        </Dialog>
      )}
    </Card>
  )
}

/** The keys that sessions of a browser made, for the decision whether they end with it. */
const MadeKeys = ({ session }: { readonly session: DashboardSession }) => {
  const t = useMessages("account")
  const [page, setPage] = useState(1)
  return (
    <PagedTable
      query={madeKeysQuery(session.id, page)}
      paging={{ onPage: setPage }}
      caption={t.madeKeys}
      columns={[
        {
          id: "name",
          header: t.name,
          isName: true,
          cell: ({ keyPrefix, name }) => <span title={`${keyPrefix}…`}>{name}</span>
        },
        { id: "type", header: t.type, cell: ({ type }) => type },
        {
          id: "created",
          header: t.created,
          cell: ({ createdAt }) => (createdAt === null ? "–" : <Age time={createdAt} />)
        }
      ]}
      id={({ id }) => id}
      name={({ name }) => name}
      empty={<Empty icon="key" title={t.noKeys} />}
    />
  )
}

export const Page = () => {
  const t = useMessages("account")
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(SessionClient)
  const page = route.useSearch().page
  const change = route.useChange()
  const [ending, setEnding] = useState<DashboardSession>()
  const [endsMade, setEndsMade] = useState(false)
  const name = ({ userAgent }: DashboardSession) => (userAgent === null ? t.unknownBrowser : browserName(userAgent))

  const columns: ReadonlyArray<Column<DashboardSession>> = [
    {
      id: "browser",
      header: t.browser,
      isName: true,
      cell: (session) => (
        <>
          <span title={session.userAgent ?? undefined}>{name(session)}</span>{" "}
          {session.current && <Badge state="info">{t.own}</Badge>}
        </>
      )
    },
    { id: "key", header: t.key, cell: ({ key }) => <span title={`${key.keyPrefix}…`}>{key.name}</span> },
    { id: "method", header: t.method, isExtra: true, cell: ({ method }) => t.methods[method] },
    { id: "address", header: t.address, cell: ({ address }) => address ?? "–" },
    { id: "signed-in", header: t.signedIn, isExtra: true, cell: ({ signedInAt }) => <Age time={signedInAt} /> },
    { id: "made", header: t.madeKeys, align: "end", isExtra: true, cell: ({ madeKeys }) => madeKeys },
    { id: "used", header: t.lastUsed, cell: ({ lastUsedAt }) => <Age time={lastUsedAt} /> },
    {
      id: "ends",
      header: t.ends,
      isExtra: true,
      cell: ({ expiresAt }) => <time dateTime={expiresAt}>{formatTime(language, Date.parse(expiresAt))}</time>
    },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (session) =>
        session.current ? null : (
          <Button
            small
            aria-label={t.endFor({ name: name(session) })}
            onClick={() => {
              setEndsMade(false)
              setEnding(session)
            }}
          >
            {t.end}
          </Button>
        )
    }
  ]

  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <OwnSession />
      <RecordList
        title={t.sessions}
        query={sessionsQuery(page)}
        paging={{ onPage: (next) => change({ page: next }) }}
        id={({ id }) => id}
        columns={columns}
        name={name}
        none={{ icon: "person", title: t.none }}
      />
      <ConfirmDialog
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={t.endTitle}
        action={t.endAction}
        act={async () => {
          if (ending === undefined) return
          const query = endsMade ? ({ withMade: "true" } as const) : {}
          await call((client) => client.sessions.revoke({ params: { id: ending.id }, query }), sessionsChanged)
          toast.done(t.ended)
        }}
      >
        {ending !== undefined && (
          <p>
            <strong>{name(ending)}</strong> · {ending.key.name} · {ending.address ?? "–"}
          </p>
        )}
        <p>{t.endLead}</p>
        {ending !== undefined && ending.madeKeys > 0 && <MadeKeys session={ending} />}
        <CheckField label={t.endMade} checked={endsMade} onChange={setEndsMade} />
      </ConfirmDialog>
    </>
  )
}
