import { Link, type LinkProps, useNavigate } from "@tanstack/react-router"
import { type ReactNode, useCallback } from "react"

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

/** The record that something is about, with the page that shows it. */
export type RecordTarget =
  | { readonly to: "/dashboard/alerts"; readonly search: { readonly alert: string; readonly status: "all" } }
  | { readonly to: "/dashboard/commands"; readonly search: { readonly command: string } }
  | { readonly to: "/dashboard/dispatches/$id" | "/dashboard/devices/$id"; readonly params: { readonly id: string } }

export const TargetLink = ({ target, children }: { readonly target: RecordTarget; readonly children: ReactNode }) => (
  <Link {...(target as LinkProps)}>{children}</Link>
)

/** A function that opens a record. */
export const useOpenTarget = () => {
  const navigate = useNavigate()
  return useCallback((target: RecordTarget) => void navigate(target as never), [navigate])
}

export const CollectionLink = ({ id, children }: RecordLinkProps) => (
  <Link to="/dashboard/collections/$id" params={{ id }}>
    {children}
  </Link>
)
