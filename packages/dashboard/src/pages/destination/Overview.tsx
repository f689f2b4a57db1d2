import type { DestinationOverview } from "@edp/domain/destinations/DestinationOverview"
import { COUNTED_DELIVERIES } from "@edp/domain/destinations/DestinationOverview"
import { formatNumber, formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Age, toMillis } from "../../kit/Figure.tsx"
import { Badge, Card, Facts, Notice } from "../../kit/components.tsx"

const StateNotice = ({ found }: { readonly found: DestinationOverview }) => {
  const t = useMessages("destination")
  const language = useLanguage()
  const { deactivatedAt, deactivatedReason, health } = found
  if (deactivatedAt !== null) {
    return (
      <Notice state="bad" title={t.deactivatedTitle}>
        {deactivatedReason} · {t.deactivatedSince} <Age time={deactivatedAt} />
      </Notice>
    )
  }
  if (health.failingSince === null) return null
  return (
    <Notice state="warn" title={t.failingTitle}>
      {t.backlog}
      <br />
      {t.failing({ count: formatNumber(language, health.failures) })} · {t.failingSince}{" "}
      <Age time={health.failingSince} />
      {health.pausedUntil !== null && (
        <>
          {" "}
          · {t.pausedUntil} <Age time={health.pausedUntil} live />
        </>
      )}
    </Notice>
  )
}

const State = ({ found: { deactivatedAt, health } }: { readonly found: DestinationOverview }) => {
  const t = useMessages("destination")
  if (deactivatedAt !== null) return <Badge state="bad">{t.deactivated}</Badge>
  if (health.failingSince !== null) return <Badge state="warn">{t.isFailing}</Badge>
  if (health.pausedUntil !== null) return <Badge state="info">{t.paused}</Badge>
  return <Badge state="good">{t.active}</Badge>
}

/** The settings of a destination and how its deliveries go. */
export const Overview = ({ found }: { readonly found: DestinationOverview }) => {
  const t = useMessages("destination")
  const language = useLanguage()
  const { health, kafkaConfig } = found
  const count = (value: number) => formatNumber(language, value) + (value >= COUNTED_DELIVERIES ? "+" : "")
  const target =
    found.url ??
    found.email ??
    found.phoneNumber ??
    (kafkaConfig && `${kafkaConfig.topic} · ${kafkaConfig.brokers.join(", ")}`)
  return (
    <>
      <StateNotice found={found} />
      <Card>
        <Facts
          items={[
            [t.state, <State key="state" found={found} />],
            [t.kind, [t.types[found.destinationType], found.manufacturer].filter(Boolean).join(" · ")],
            [t.target, <code key="target">{target}</code>],
            [t.waiting, count(health.pending)],
            [t.oldest, health.oldestPendingAt && <Age key="oldest" time={health.oldestPendingAt} />],
            [t.failed, count(health.failed)],
            [t.devices, t.groups[found.deviceType ?? "ALL"]],
            [t.weather, found.includeWeather ? t.yes : t.no],
            [t.headers, found.headerNames.join(", ")],
            [t.created, <Age key="created" time={found.createdAt} />],
            [t.updated, <Age key="updated" time={found.updatedAt} />],
            ...(found.previousSecretUntil === null
              ? []
              : [
                  [t.previousSecret, `${t.until} ${formatTime(language, toMillis(found.previousSecretUntil))}`] as const
                ])
          ]}
        />
      </Card>
      <Card title={t.eventTypes}>
        {found.eventTypes.length === 0 ? (
          <p className="muted">{t.commandsOnly}</p>
        ) : (
          <div className="actions">
            {found.eventTypes.map((type) => (
              <Badge key={type}>{type}</Badge>
            ))}
          </div>
        )}
      </Card>
    </>
  )
}
