import parts from "@edp/dashboard/app/parts.css?inline"
import tokens from "@edp/dashboard/app/tokens.css?inline"
import pages from "./pages.css?inline"

/** The style sheet: the dashboard's colours and parts, then those of the hosted pages alone. */
export const styles = `${tokens}${parts}${pages}`
