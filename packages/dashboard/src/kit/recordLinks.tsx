import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"

interface RecordLinkProps {
  readonly id: string
  readonly children: ReactNode
}

export const CustomerLink = ({ id, children }: RecordLinkProps) => (
  <Link to="/dashboard/customers/$id" params={{ id }}>
    {children}
  </Link>
)

export const DeviceLink = ({ id, children }: RecordLinkProps) => (
  <Link to="/dashboard/devices/$id" params={{ id }}>
    {children}
  </Link>
)

export const SiteLink = ({ id, children }: RecordLinkProps) => (
  <Link to="/dashboard/sites/$id" params={{ id }}>
    {children}
  </Link>
)
