import tokens from "@edp/dashboard/app/tokens.css?inline"
import button from "@edp/dashboard/kit/Button.css?inline"
import components from "@edp/dashboard/kit/components.css?inline"
import field from "@edp/dashboard/kit/FieldFrame.css?inline"
import icon from "@edp/dashboard/kit/Icon.css?inline"
import pages from "./pages.css?inline"

/** The style sheet: the dashboard's colours and parts, then those of the hosted pages alone. */
export const styles = [tokens, icon, components, button, field, pages].join("")
