import type { DashboardLink, DashboardSession } from "@edp/domain/dashboard/Session"
import { useContext, useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { SessionClient, sessionAtom } from "../../api/session.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useTexts } from "../../i18n/useTexts.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { PagedTable } from "../../kit/PagedTable.tsx"
import { Badge, Card, Empty, Facts, PageHeader } from "../../kit/Parts.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import type { Column } from "../../kit/Table.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAct } from "../../kit/useAct.ts"
import { pageNumber, useParameters } from "../../kit/useParameters.ts"
import { RegistryContext, useAtomValue } from "../../state/atoms.ts"
import { browserName } from "./browserName.ts"
import { SESSIONS, sessionsQuery } from "./queries.ts"
import { texts } from "./texts.ts"

const OwnSession = () => {
  const t = useTexts(texts)
  const language = useLanguage()
  const registry = useContext(RegistryContext)
  const session = useAtomValue(sessionAtom)
  const call = useApi(SessionClient)
  const [link, setLink] = useState<DashboardLink>()
  const signOut = useAct(async () => {
    await call((client) => client.sessions.signOut())
    registry.set(sessionAtom, undefined)
    location.assign("/")
  })
  const createLink = useAct(async () => setLink(await call((client) => client.sessions.createLink())))
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

export const Page = () => {
  const t = useTexts(texts)
  const language = useLanguage()
  const toast = useToast()
  const call = useApi(SessionClient)
  const [parameters] = useParameters()
  const [ending, setEnding] = useState<DashboardSession>()
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
          <Button small aria-label={t.endFor(name(session))} onClick={() => setEnding(session)}>
            {t.end}
          </Button>
        )
    }
  ]

  return (
    <>
      <PageHeader title={t.title} lead={t.lead} />
      <OwnSession />
      <Card title={t.sessions} flush>
        <PagedTable
          query={sessionsQuery({ page: pageNumber(parameters["page"]), perPage: 25 })}
          caption={t.sessions}
          columns={columns}
          id={({ id }) => id}
          name={name}
          empty={<Empty icon="person" title={t.none} />}
        />
      </Card>
      <ConfirmDialog
        open={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={t.endTitle}
        action={t.endAction}
        act={async () => {
          if (ending === undefined) return
          await call((client) => client.sessions.revoke({ params: { id: ending.id } }), [SESSIONS])
          toast.done(t.ended)
        }}
      >
        {ending !== undefined && (
          <p>
            <strong>{name(ending)}</strong> · {ending.key.name} · {ending.address ?? "–"}
          </p>
        )}
        <p>{t.endLead}</p>
      </ConfirmDialog>
    </>
  )
}
