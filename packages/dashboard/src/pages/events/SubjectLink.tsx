import { Link } from "@tanstack/react-router"
import { useMessages } from "../../i18n/useMessages.ts"
import { CustomerLink, DeviceLink, SiteLink } from "../../kit/recordLinks.tsx"
import type { Subject } from "./subjects.ts"

const shortened = (id: string) => (id.length > 14 ? `…${id.slice(-8)}` : id)

/** Leads to the record that an event concerns, where there is a page for it. */
export const SubjectLink = ({ subject, named = false }: { readonly subject: Subject; readonly named?: boolean }) => {
  const t = useMessages("events")
  const { id, kind, name } = subject
  const text = named ? `${t.kinds[kind]} ${name ?? shortened(id)}` : (name ?? id)
  switch (kind) {
    case "device":
      return <DeviceLink id={id}>{text}</DeviceLink>
    case "site":
      return <SiteLink id={id}>{text}</SiteLink>
    case "customer":
      return <CustomerLink id={id}>{text}</CustomerLink>
    case "connection":
      return (
        <Link to="/dashboard/connections" search={{ tab: "sessions", session: id }}>
          {text}
        </Link>
      )
    case "account":
      return (
        <Link to="/dashboard/connections" search={{ tab: "accounts" }}>
          {text}
        </Link>
      )
    default:
      return <span>{text}</span>
  }
}
