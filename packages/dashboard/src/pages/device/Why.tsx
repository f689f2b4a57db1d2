import type { Alert } from "@edp/domain/alerts/Alert"
import type { DeviceConnection } from "@edp/domain/dashboard/DeviceConnection"
import type { Device } from "@edp/domain/devices/Device"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { openDeviceAlertsQuery } from "../../resources/alerts.ts"
import { deviceConnectionQuery } from "../../resources/devices.ts"
import { Button } from "../../kit/Button.tsx"
import { ButtonLink } from "../../kit/ButtonLink.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, Card, Facts, type State } from "../../kit/components.tsx"
import { severityStates } from "../../kit/states.ts"
import { currentValue, useAtomValue, useRefreshEvery } from "../../state/atoms.ts"
import { nowMillis } from "../../state/now.ts"
import { type Cause, findCause } from "./connection.ts"
import { ReconnectButton } from "./ReconnectButton.tsx"

/** A failed attempt has no event, so the connection is read again so often, in milliseconds. */
const READ_EVERY = 15_000

type Account = NonNullable<DeviceConnection["account"]>

const accountStates: Readonly<Record<Account["status"], State>> = {
  connected: "good",
  failed: "bad",
  disconnected: "plain"
}

const mostSevereFirst: ReadonlyArray<Alert["severity"]> = ["CRITICAL", "WARNING", "INFO"]

/** A button that opens a list of steps. */
const Steps = ({ steps, title }: { readonly title: string; readonly steps: ReadonlyArray<string> }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button small icon="info" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={title}>
        <ol className="device-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Dialog>
    </>
  )
}

const AccountLink = ({ id, children }: { readonly id: string; readonly children: ReactNode }) => (
  <Link to="/dashboard/connections" search={{ account: id }}>
    {children}
  </Link>
)

/** The next steps for each cause, the most likely one first. */
const NextSteps = ({ account, cause }: { readonly account: Account | null; readonly cause: Cause }) => {
  const t = useMessages("deviceConnection")
  const { guide, manufacturer, network, source } = t.steps
  const signIn = account !== null && <ReconnectButton accountId={account.id} isMain />
  const checkNetwork = <Steps title={t.checkNetwork} steps={Object.values(network)} />
  const connect = (
    <ButtonLink small icon="plug" to="/dashboard/connections">
      {t.connect}
    </ButtonLink>
  )
  const steps: Readonly<Record<Cause, ReactNode>> = {
    sign_in: signIn,
    disconnected: account === null ? connect : signIn,
    paused: connect,
    setup: (
      <>
        <Steps title={t.guide} steps={Object.values(guide)} />
        {account !== null && <ReconnectButton accountId={account.id} />}
      </>
    ),
    network: checkNetwork,
    manufacturer: <Steps title={t.guide} steps={Object.values(manufacturer)} />,
    source: <Steps title={t.guide} steps={Object.values(source)} />,
    silent: checkNetwork,
    never: account === null ? <Steps title={t.guide} steps={Object.values(source)} /> : checkNetwork
  }
  return <div className="actions">{steps[cause]}</div>
}

const NextAttempt = ({ account }: { readonly account: Account }) => {
  const t = useMessages("deviceConnection")
  const language = useLanguage()
  if (account.pausedUntil !== null) {
    return t.paused({ time: formatTime(language, Date.parse(account.pausedUntil), { timeStyle: "medium" }) })
  }
  if (account.isWorking) return t.working
  if (account.nextAttemptAt === null) return t.noNext
  return Date.parse(account.nextAttemptAt) <= nowMillis() ? t.overdue : <Age time={account.nextAttemptAt} live />
}

const LastError = ({ account }: { readonly account: Account }) => {
  const t = useMessages("deviceConnection")
  if (account.lastError === null) return t.noError
  return (
    <>
      <q>{account.lastError.message}</q> <Age time={account.lastError.at} live />
      {account.failures > 0 && <span className="muted"> · {t.failures({ count: account.failures })}</span>}
    </>
  )
}

/** The account of a device, what it was asked last, and when it is asked next. */
export const ConnectionFacts = ({ connection }: { readonly connection: DeviceConnection }) => {
  const t = useMessages("deviceConnection")
  const { account, lastOnlineAt } = connection
  const reading = [t.lastReading, <Age key="reading" time={lastOnlineAt} live />] as const
  if (account === null) return <Facts items={[[t.account, t.noAccount], reading]} />
  return (
    <Facts
      items={[
        [
          t.account,
          <span key="account" className="device-links">
            <AccountLink id={account.id}>{account.name}</AccountLink>
            <Badge state={accountStates[account.status]}>{t.accountStatuses[account.status]}</Badge>
          </span>
        ],
        [t.lastError, <LastError key="error" account={account} />],
        reading,
        [t.next, <NextAttempt key="next" account={account} />]
      ]}
    />
  )
}

const OpenAlerts = ({ alerts }: { readonly alerts: ReadonlyArray<Alert> }) => {
  const t = useMessages("device")
  const { alertTitle } = useServiceTexts()
  const sorted = alerts.toSorted(
    (one, other) => mostSevereFirst.indexOf(one.severity) - mostSevereFirst.indexOf(other.severity)
  )
  return (
    <ul className="device-open-alerts">
      {sorted.map((alert) => (
        <li key={alert.id}>
          <Badge state={severityStates[alert.severity]}>{t.severities[alert.severity]}</Badge>
          <Link to="/dashboard/alerts" search={{ alert: alert.id, device: alert.deviceId ?? undefined }}>
            {alertTitle(alert.title)}
          </Link>
          <span className="muted">
            <Age time={alert.lastOccurredAt} live />
            {alert.description !== null && ` · ${alert.description}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

interface WhyProps {
  readonly device: Device
}

/** Why the device is not reached, or what is open of it, with the next step. It is absent where nothing is wrong. */
export const Why = ({ device }: WhyProps) => {
  const t = useMessages("deviceConnection")
  const query = deviceConnectionQuery(device.id)
  useRefreshEvery(query, READ_EVERY)
  const connection = currentValue(useAtomValue(query))
  const alerts = currentValue(useAtomValue(openDeviceAlertsQuery(device.id)))?.data ?? []
  if (connection === undefined) return null
  const cause = findCause(connection)
  if (cause === undefined && alerts.length === 0) return null
  return (
    <Card title={t.title} actions={cause && <NextSteps account={connection.account} cause={cause} />}>
      <div className="stack">
        <p className="device-cause">{cause === undefined ? t.alertsOnly : t.causes[cause]}</p>
        {alerts.length > 0 && <OpenAlerts alerts={alerts} />}
        {cause !== undefined && <ConnectionFacts connection={connection} />}
      </div>
    </Card>
  )
}

/** The connection of a device, also where nothing is wrong. */
export const ConnectionCard = ({ device }: WhyProps) => {
  const t = useMessages("deviceConnection")
  const connection = currentValue(useAtomValue(deviceConnectionQuery(device.id)))
  return <Card title={t.connection}>{connection && <ConnectionFacts connection={connection} />}</Card>
}
