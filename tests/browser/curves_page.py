"""The curves of lessons 03, 04, 08, 13 and 14 as a reader meets them."""

from playwright.sync_api import Locator


def rows(output: Locator) -> dict[str, list[str]]:
    """{name: [autograd_core's number, PyTorch's]} at the step that is read."""
    return {
        row.locator("th").text_content(): row.locator("td").all_text_contents()
        for row in output.locator("tbody tr").all()
    }


def wait_for(output: Locator, name: str, number: str) -> None:
    """Wait until this number stands in the row with this name."""
    output.locator(f'tbody tr:has(th:text-is("{name}")) td:text-is("{number}")').first.wait_for()


def reads(output: Locator) -> Locator:
    """The curves, as a slider along their steps."""
    return output.get_by_role("slider", name="Read the curves along")
