import { Link, Outlet, useLocation } from "@tanstack/react-router"
import { useContext, useEffect, useRef, useState } from "react"
import { countsAtom } from "../api/liveState.ts"
import { connectionAtom } from "../api/connection.ts"
import { openWorkspace, SessionClient, sessionAtom, SIGNED_IN, workspaceIdAtom } from "../api/session.ts"
import { useApi } from "../api/makeApi.ts"
import { formatAge, formatNumber } from "../i18n/format.ts"
import { languageAtom, rememberLanguage } from "../i18n/language.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { RegistryContext, useAtomSet, useAtomValue } from "../state/atoms.ts"
import { writeSetting } from "../state/settings.ts"
import { IconButton } from "../kit/Button.tsx"
import { SelectField } from "../kit/Field.tsx"
import { Icon, type IconName } from "../kit/Icon.tsx"
import { Menu } from "../kit/Menu.tsx"
import { tickAtom } from "../state/now.ts"
import { Notice } from "../kit/components.tsx"
import { useAction } from "../kit/useAction.ts"
import { appMessages } from "./messages.ts"
import { rememberTheme, type Theme, themeAtom } from "./theme.ts"
import "./Shell.css"

type Messages = (typeof appMessages)["en"]

interface Entry {
  readonly to: string
  readonly name: keyof Messages & string
  readonly icon: IconName
}

const groups: ReadonlyArray<{ readonly name: keyof Messages & string; readonly entries: ReadonlyArray<Entry> }> = [
  {
    name: "groupFleet",
    entries: [
      { to: "/", name: "overview", icon: "bolt" },
      { to: "/dashboard/fleet", name: "fleet", icon: "fleet" },
      { to: "/dashboard/sites", name: "sites", icon: "home" },
      { to: "/dashboard/customers", name: "customers", icon: "people" },
      { to: "/dashboard/energy", name: "energy", icon: "chart" },
      { to: "/dashboard/alerts", name: "alerts", icon: "bell" }
    ]
  },
  {
    name: "groupOperate",
    entries: [
      { to: "/dashboard/programs", name: "programs", icon: "program" },
      { to: "/dashboard/dispatches", name: "dispatches", icon: "dispatch" },
      { to: "/dashboard/commands", name: "commands", icon: "battery" }
    ]
  },
  {
    name: "groupIntegrate",
    entries: [
      { to: "/dashboard/connections", name: "connections", icon: "plug" },
      { to: "/dashboard/events", name: "events", icon: "clock" },
      { to: "/dashboard/destinations", name: "destinations", icon: "send" }
    ]
  },
  {
    name: "groupAdminister",
    entries: [
      { to: "/dashboard/keys", name: "keys", icon: "key" },
      { to: "/dashboard/settings", name: "workspaceSettings", icon: "pen" },
      { to: "/dashboard/audit", name: "audit", icon: "info" },
      { to: "/dashboard/health", name: "health", icon: "health" },
      { to: "/dashboard/account", name: "account", icon: "person" }
    ]
  }
]

/** The open critical alerts, as the live stream counts them. */
const CriticalAlerts = () => {
  const t = useMessages(appMessages)
  const language = useLanguage()
  const critical = useAtomValue(countsAtom)?.openAlerts.CRITICAL ?? 0
  if (critical === 0) return null
  const count = formatNumber(language, critical)
  return (
    <span className="nav-count" title={t.critical(count)}>
      <span aria-hidden="true">{count}</span>
      <span className="hidden">{t.critical(count)}</span>
    </span>
  )
}

const Navigation = () => {
  const t = useMessages(appMessages)
  return groups.map((group) => (
    <div key={group.name} className="nav-group">
      <p className="nav-title" id={`nav-${group.name}`}>
        {t[group.name] as string}
      </p>
      <ul aria-labelledby={`nav-${group.name}`}>
        {group.entries.map(({ to, name, icon }) => (
          <li key={to}>
            <Link to={to} className="nav-link" activeOptions={{ exact: to === "/", includeSearch: false }}>
              <Icon name={icon} />
              {t[name] as string}
              {name === "alerts" && <CriticalAlerts />}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ))
}

const ConnectionMark = () => {
  const t = useMessages(appMessages)
  const language = useLanguage()
  const connection = useAtomValue(connectionAtom)
  const now = useAtomValue(tickAtom)
  const text = { live: t.live, connecting: t.connecting, offline: "" }[connection.kind]
  return (
    <span className={`connection ${connection.kind}`} role="status">
      {connection.kind === "offline" ? t.offline(formatAge(language, connection.since, now)) : text}
    </span>
  )
}

const WorkspaceChoice = () => {
  const t = useMessages(appMessages)
  const session = useAtomValue(sessionAtom)
  const chosen = useAtomValue(workspaceIdAtom)
  if (session === undefined) return null
  return session.workspaces.length === 1 ? (
    <span className="workspace-name">{session.workspaces[0]!.name}</span>
  ) : (
    <SelectField
      label={t.workspace}
      hideLabel
      value={chosen ?? ""}
      options={session.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={openWorkspace}
    />
  )
}

const SettingsMenu = () => {
  const t = useMessages(appMessages)
  const registry = useContext(RegistryContext)
  const language = useLanguage()
  const theme = useAtomValue(themeAtom)
  const setTheme = useAtomSet(themeAtom)
  const setLanguage = useAtomSet(languageAtom)
  const call = useApi(SessionClient)
  const { run } = useAction(async () => {
    await call((client) => client.sessions.signOut())
    writeSetting(SIGNED_IN, null)
    registry.set(sessionAtom, undefined)
    location.assign("/")
  })
  const chooseTheme = (next: Theme) => {
    setTheme(next)
    rememberTheme(next)
  }
  const other = language === "en" ? "es" : "en"
  return (
    <Menu
      trigger={<IconButton icon="person" label={t.settings} />}
      items={[
        ...(["system", "light", "dark"] as const).map((each) => ({
          id: each,
          label: `${t.theme}: ${t.themes[each]}`,
          checked: theme === each,
          onSelect: () => chooseTheme(each)
        })),
        {
          id: "language",
          label: <span lang={other}>{other === "es" ? "Español" : "English"}</span>,
          onSelect: () => {
            setLanguage(other)
            rememberLanguage(other)
          }
        },
        { id: "reference", label: t.reference, onSelect: () => window.open("/v1/docs", "_blank", "noopener") },
        { id: "sign-out", label: t.signOut, onSelect: () => void run() }
      ]}
    />
  )
}

const OfflineNotice = () => {
  const t = useMessages(appMessages)
  const connection = useAtomValue(connectionAtom)
  return connection.kind === "offline" ? (
    <Notice state="warn" announced>
      {t.offlineLong}
    </Notice>
  ) : null
}

/** The frame of every page: navigation, workspace, state of the connection, settings. */
export const Shell = () => {
  const t = useMessages(appMessages)
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const before = useRef(pathname)
  useEffect(() => {
    setOpen(false)
    // After a change of the page, screen readers and the keyboard go on at its title.
    if (before.current !== pathname) main.current?.focus({ preventScroll: true })
    before.current = pathname
  }, [pathname])
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {t.skip}
      </a>
      <header className="top">
        <IconButton
          icon={isOpen ? "cross" : "menu"}
          label={isOpen ? t.closeNavigation : t.openNavigation}
          className="nav-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        />
        <Link to="/" className="brand" aria-label={`edp: ${t.overview}`} activeOptions={{ exact: true }}>
          <Icon name="bolt" />
          <span>edp</span>
        </Link>
        <WorkspaceChoice />
        <span className="spring" />
        <ConnectionMark />
        <SettingsMenu />
      </header>
      <nav id="navigation" className={isOpen ? "side open" : "side"} aria-label={t.navigation}>
        <Navigation />
      </nav>
      <main id="content" ref={main} tabIndex={-1}>
        <OfflineNotice />
        <Outlet />
      </main>
    </div>
  )
}
