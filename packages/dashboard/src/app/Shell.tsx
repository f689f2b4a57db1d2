import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useRef, useState } from "react"
import { countsAtom } from "../api/liveState.ts"
import { connectionAtom } from "../api/connection.ts"
import { openWorkspace, sessionAtom, workspaceIdAtom } from "../api/session.ts"
import { formatAge, formatNumber } from "../i18n/format.ts"
import { useLanguage, useMessages } from "../i18n/useMessages.ts"
import { useAtomValue } from "../state/atoms.ts"
import { IconButton } from "../kit/Button.tsx"
import { SelectField } from "../kit/Field.tsx"
import { Icon } from "../kit/Icon.tsx"
import { Menu } from "../kit/Menu.tsx"
import { tickAtom } from "../state/now.ts"
import { Notice } from "../kit/components.tsx"
import { pageGroups } from "./navigation.ts"
import { isMac, singleKeysAtom, useShortcuts } from "./shortcuts.ts"
import { useSettingsItems } from "./useSettingsItems.ts"
import "./Shell.css"

/** The open critical alerts, as the live stream counts them. */
const CriticalAlerts = () => {
  const t = useMessages("app")
  const language = useLanguage()
  const critical = useAtomValue(countsAtom)?.openAlerts.CRITICAL ?? 0
  if (critical === 0) return null
  const count = formatNumber(language, critical)
  return (
    <span className="nav-count" title={t.critical({ count: critical })}>
      <span aria-hidden="true">{count}</span>
      <span className="hidden">{t.critical({ count: critical })}</span>
    </span>
  )
}

const Navigation = () => {
  const t = useMessages("app")
  return pageGroups.map((group) => (
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
  const t = useMessages("app")
  const language = useLanguage()
  const connection = useAtomValue(connectionAtom)
  const now = useAtomValue(tickAtom)
  const text = { live: t.live, connecting: t.connecting, offline: "" }[connection.kind]
  return (
    <span className={`connection ${connection.kind}`} role="status">
      {connection.kind === "offline" ? t.offline({ age: formatAge(language, connection.since, now) }) : text}
    </span>
  )
}

const WorkspaceChoice = () => {
  const t = useMessages("app")
  const session = useAtomValue(sessionAtom)
  const chosen = useAtomValue(workspaceIdAtom)
  if (session === undefined) return null
  return session.workspaces.length === 1 ? (
    <span className="workspace-name" title={session.workspaces[0]!.name}>
      {session.workspaces[0]!.name}
    </span>
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
  const t = useMessages("app")
  const items = useSettingsItems()
  return (
    <Menu
      trigger={<IconButton icon="person" label={t.settings} />}
      items={items.map(({ lang, label, ...item }) => ({
        ...item,
        label: lang === undefined ? label : <span lang={lang}>{label}</span>
      }))}
    />
  )
}

// Both are loaded when they are first opened, and stay: a dialog that closes gives the focus back.
const Palette = lazy(() => import("./Palette.tsx").then(({ Palette }) => ({ default: Palette })))
const ShortcutList = lazy(() => import("./ShortcutList.tsx").then(({ ShortcutList }) => ({ default: ShortcutList })))

type Opened = "search" | "shortcuts" | undefined

/** The button of the search, and the keyboard shortcuts. */
const SearchTools = () => {
  const t = useMessages("app")
  const navigate = useNavigate()
  const singleKeys = useAtomValue(singleKeysAtom)
  const [opened, setOpened] = useState<Opened>()
  const [isWanted, setWanted] = useState<{ readonly [Name in NonNullable<Opened>]?: true }>({})
  const open = (name: NonNullable<Opened>) => {
    setOpened(name)
    setWanted({ ...isWanted, [name]: true })
  }
  const close = () => setOpened(undefined)
  useShortcuts({
    singleKeys,
    onSearch: () => open("search"),
    onHelp: () => open("shortcuts"),
    onPage: (to) => void navigate({ to })
  })
  return (
    <>
      <button
        type="button"
        className="search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        title={t.search}
        onClick={() => open("search")}
      >
        <Icon name="search" />
        <span>{t.search}</span>
        <kbd aria-hidden="true">{isMac ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      <Suspense fallback={null}>
        {isWanted.search && (
          <Palette open={opened === "search"} onClose={close} onShortcuts={() => open("shortcuts")} />
        )}
        {isWanted.shortcuts && <ShortcutList open={opened === "shortcuts"} onClose={close} />}
      </Suspense>
    </>
  )
}

const OfflineNotice = () => {
  const t = useMessages("app")
  const connection = useAtomValue(connectionAtom)
  return connection.kind === "offline" ? (
    <Notice state="warn" announced>
      {t.offlineLong}
    </Notice>
  ) : null
}

/** The frame of every page: navigation, workspace, state of the connection, settings. */
export const Shell = () => {
  const t = useMessages("app")
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
        <SearchTools />
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
