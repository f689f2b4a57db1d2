import type { SystemHealth } from "@edp/domain/dashboard/SystemHealth"
import { useEffect } from "react"
import { formatNumber, formatQuantity } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { healthQuery } from "../../resources/health.ts"
import { Button } from "../../kit/Button.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Badge, Card, Facts, Notice, PageHeader } from "../../kit/components.tsx"
import { Table } from "../../kit/Table.tsx"
import { useAtomRefresh } from "../../state/atoms.ts"
import { adviceFor, waited } from "./advice.ts"
import { Accounts, Destinations, Quotas } from "./Organization.tsx"
import "./health.css"
import { HealthSection } from "./HealthSection.tsx"
import { Partitions } from "./Partitions.tsx"

const REFRESH_MS = 15_000

const WhatToDo = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  const language = useLanguage()
  const advice = adviceFor(health, t, language)
  if (advice.length === 0) return <Notice state="good" title={t.allWell} />
  return (
    <section className="stack tight" aria-label={t.needsAttention}>
      <h2>{t.needsAttention}</h2>
      {advice.map(({ id, link, state, text }) => (
        <Notice key={id} state={state} actions={link && <a href={link.href}>{link.label}</a>}>
          {text}
        </Notice>
      ))}
    </section>
  )
}

const Instances = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  return (
    <HealthSection title={t.instances} part={health.instances} flush>
      {(instances) => (
        <Table
          caption={t.instances}
          rows={instances}
          id={({ id }) => id}
          columns={[
            { id: "host", header: t.host, isName: true, cell: ({ hostName }) => hostName },
            {
              id: "state",
              header: t.state,
              cell: ({ isSilent, isThis }) => (
                <Badge state={isSilent ? "bad" : "good"}>{isSilent ? t.silent : isThis ? t.thisOne : t.running}</Badge>
              )
            },
            { id: "role", header: t.role, cell: ({ role }) => t.roles[role] },
            { id: "version", header: t.version, cell: ({ version }) => version },
            { id: "node", header: t.nodeVersion, isExtra: true, cell: ({ nodeVersion }) => nodeVersion },
            { id: "pid", header: t.pid, align: "end", isExtra: true, cell: ({ pid }) => pid },
            { id: "started", header: t.started, cell: ({ startedAt }) => <Age time={startedAt} /> },
            { id: "seen", header: t.lastSeen, cell: ({ lastSeenAt }) => <Age time={lastSeenAt} live /> }
          ]}
        />
      )}
    </HealthSection>
  )
}

const Work = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  const language = useLanguage()
  return (
    <HealthSection title={t.work} part={health.work} flush>
      {(work) => (
        <Table
          caption={t.work}
          rows={work.filter(({ waiting }) => waiting > 0)}
          id={({ task }) => task}
          empty={<p className="muted health-lead">{t.nothingWaits({ kinds: work.length })}</p>}
          columns={[
            { id: "task", header: t.task, isName: true, cell: ({ task }) => t.tasks[task] },
            {
              id: "waiting",
              header: t.waiting,
              align: "end",
              cell: ({ isCapped, waiting }) =>
                isCapped ? t.atLeast({ count: formatNumber(language, waiting) }) : formatNumber(language, waiting)
            },
            {
              id: "oldest",
              header: t.oldest,
              align: "end",
              cell: ({ oldestSeconds }) =>
                oldestSeconds === null ? <span className="muted">–</span> : waited(language, oldestSeconds)
            }
          ]}
        />
      )}
    </HealthSection>
  )
}

const Database = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  const language = useLanguage()
  return (
    <HealthSection title={t.database} part={health.database}>
      {({ bytes, connections, kind, migrations, pingMilliseconds, version }) => (
        <Facts
          items={[
            [t.kind, t.kinds[kind]],
            [t.version, version],
            [t.size, formatQuantity(language, bytes, "B")],
            [t.ping, formatQuantity(language, pingMilliseconds, "ms")],
            [
              t.connections,
              connections &&
                t.connectionUse({ used: connections.inUse, most: connections.most, waiting: connections.waiting })
            ],
            [t.migrations, formatNumber(language, migrations.applied)],
            [t.latestMigration, migrations.latest]
          ]}
        />
      )}
    </HealthSection>
  )
}

const Service = ({ health }: { readonly health: SystemHealth }) => {
  const t = useMessages("health")
  const language = useLanguage()
  const { service } = health
  const redis = health.redis.value
  return (
    <Card title={t.service}>
      <Facts
        items={[
          [t.version, service.version],
          [t.nodeVersion, service.nodeVersion],
          [t.role, t.roles[service.role]],
          [t.uptime, waited(language, service.uptimeSeconds)],
          [
            t.redis,
            redis === null
              ? t.unknown
              : redis.pingMilliseconds === null
                ? t.redisStates[redis.state]
                : `${t.redisStates[redis.state]}, ${formatQuantity(language, redis.pingMilliseconds, "ms")}`
          ]
        ]}
      />
      {redis?.state === "not_configured" && <p className="muted">{t.redisAlone}</p>}
    </Card>
  )
}

/** Measures again every few seconds while the page is in view. */
const useMeasuring = () => {
  const refresh = useAtomRefresh(healthQuery)
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])
  return refresh
}

export const Page = () => {
  const t = useMessages("health")
  const refresh = useMeasuring()
  return (
    <>
      <PageHeader
        title={t.title}
        actions={
          <Button icon="refresh" onClick={refresh}>
            {t.refresh}
          </Button>
        }
      />
      <Loaded query={healthQuery}>
        {(health) => (
          <>
            <WhatToDo health={health} />
            <Instances health={health} />
            <div className="grid wide">
              <Service health={health} />
              <Database health={health} />
            </div>
            <Work health={health} />
            <Destinations health={health} />
            <Accounts health={health} />
            <Quotas health={health} />
            <Partitions health={health} />
          </>
        )}
      </Loaded>
    </>
  )
}
