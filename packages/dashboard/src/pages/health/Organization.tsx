import type { SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import { formatNumber, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age } from "../../kit/Figure.tsx"
import { Badge } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { accountLink, inWorkspace, waited } from "./advice.ts"
import { HealthSection } from "./HealthSection.tsx"

interface Props {
  readonly health: SystemHealth
}

export const Destinations = ({ health }: Props) => {
  const t = useMessages("health")
  const language = useLanguage()
  const count = (value: number) => formatNumber(language, value)
  return (
    <HealthSection title={t.destinations} part={health.destinations} flush>
      {({ deactivated, failing, items, total }) => (
        <>
          <p className="muted health-lead">{t.destinationsLead({ total: count(total), failing, deactivated })}</p>
          <Table
            caption={t.destinations}
            rows={items}
            id={({ id }) => id}
            empty={<p className="muted health-lead">{t.noTrouble}</p>}
            columns={[
              {
                id: "name",
                header: t.destination,
                isName: true,
                cell: ({ destinationType, id, label, workspaceId }) => (
                  <a href={inWorkspace(`/dashboard/destinations/${id}`, workspaceId)}>{label ?? destinationType}</a>
                )
              },
              {
                id: "state",
                header: t.state,
                cell: ({ deactivatedAt, failingSince }) =>
                  deactivatedAt !== null ? (
                    <Badge>{t.deactivated}</Badge>
                  ) : failingSince !== null ? (
                    <Badge state="bad">{t.failing}</Badge>
                  ) : (
                    <Badge state="info">{t.backlog}</Badge>
                  )
              },
              {
                id: "waiting",
                header: t.waiting,
                align: "end",
                cell: ({ isCapped, waiting }) => (isCapped ? t.atLeast({ count: count(waiting) }) : count(waiting))
              },
              {
                id: "oldest",
                header: t.oldest,
                align: "end",
                cell: ({ oldestSeconds }) =>
                  oldestSeconds === null ? <span className="muted">–</span> : waited(language, oldestSeconds)
              },
              {
                id: "since",
                header: t.since,
                cell: ({ deactivatedAt, failingSince }) =>
                  (deactivatedAt ?? failingSince) === null ? (
                    <span className="muted">–</span>
                  ) : (
                    <Age time={deactivatedAt ?? failingSince} />
                  )
              }
            ]}
          />
        </>
      )}
    </HealthSection>
  )
}

export const Accounts = ({ health }: Props) => {
  const t = useMessages("health")
  return (
    <HealthSection title={t.accounts} part={health.accounts} flush>
      {({ connected, items, signInNeeded }) => (
        <>
          <p className="muted health-lead">{t.accountsLead({ connected, signIn: signInNeeded })}</p>
          <Table
            caption={t.accounts}
            rows={items}
            id={({ id }) => id}
            empty={<p className="muted health-lead">{t.noAccountTrouble}</p>}
            columns={[
              { id: "name", header: t.account, isName: true, cell: ({ name }) => name },
              { id: "manufacturer", header: t.manufacturer, cell: ({ manufacturer }) => manufacturer },
              {
                id: "trouble",
                header: t.trouble,
                cell: ({ trouble }) => (
                  <Badge state={trouble === "sign_in_needed" || trouble === "expired" ? "bad" : "warn"}>
                    {t.troubles[trouble]}
                  </Badge>
                )
              },
              {
                id: "expires",
                header: t.expires,
                cell: ({ expiresAt }) =>
                  expiresAt === null ? <span className="muted">–</span> : <Age time={expiresAt} />
              },
              { id: "message", header: t.message, isExtra: true, cell: ({ message }) => message ?? "–" },
              {
                id: "reconnect",
                header: "",
                cell: (account) => <a href={accountLink(account)}>{t.reconnect}</a>
              }
            ]}
          />
        </>
      )}
    </HealthSection>
  )
}

export const Quotas = ({ health }: Props) => {
  const t = useMessages("health")
  const language = useLanguage()
  const time = (text: string) => formatTime(language, Date.parse(text))
  return (
    <HealthSection title={t.quotas} part={health.quotas} flush>
      {(quotas) => (
        <Table
          caption={t.quotas}
          rows={quotas}
          id={({ accountId, manufacturer, window }) => `${manufacturer} ${accountId} ${window}`}
          empty={<p className="muted health-lead">{t.noQuotas}</p>}
          columns={[
            { id: "manufacturer", header: t.manufacturer, isName: true, cell: ({ manufacturer }) => manufacturer },
            { id: "account", header: t.account, cell: ({ accountName }) => accountName ?? t.everyAccount },
            {
              id: "used",
              header: t.used,
              align: "end",
              cell: ({ limit, used }) => (
                <>
                  {formatNumber(language, used)} / {formatNumber(language, limit)}
                  <meter
                    className="health-meter"
                    min={0}
                    max={limit}
                    high={limit * 0.9}
                    optimum={0}
                    value={used}
                    aria-label={t.used}
                  />
                </>
              )
            },
            {
              id: "window",
              header: t.window,
              cell: ({ window }) => (window === null ? t.month : waited(language, window))
            },
            { id: "resets", header: t.resets, cell: ({ resetsAt }) => time(resetsAt) },
            {
              id: "paused",
              header: t.paused,
              cell: ({ pausedUntil }) =>
                pausedUntil === null ? (
                  <span className="muted">–</span>
                ) : (
                  <Badge state="warn">{time(pausedUntil)}</Badge>
                )
            }
          ]}
        />
      )}
    </HealthSection>
  )
}
