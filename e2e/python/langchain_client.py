"""LangChain with the package of the format that is asked for.

Its embeddings split by themselves. Without `check_embedding_ctx_length=False` they send tokens, which only some providers take.
"""

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool as tool_of
from trial import API_KEY, EMBEDDING_MODEL, FORMAT, MODEL, QUESTION, TASK, TEXTS, URL, get_weather, tell


def of_openai():
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    place = {"base_url": f"{URL}/v1", "api_key": API_KEY, "max_retries": 0}
    embeddings = EMBEDDING_MODEL and OpenAIEmbeddings(
        model=EMBEDDING_MODEL, check_embedding_ctx_length=False, chunk_size=2, **place
    )
    return ChatOpenAI(model=MODEL, use_responses_api=FORMAT == "responses", **place), embeddings


def of_anthropic():
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(model=MODEL, base_url=URL, api_key=API_KEY, max_tokens=256, max_retries=0), None


def of_google():
    from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings

    place = {"base_url": URL, "google_api_key": API_KEY}
    embeddings = EMBEDDING_MODEL and GoogleGenerativeAIEmbeddings(model=EMBEDDING_MODEL, **place)
    return ChatGoogleGenerativeAI(model=MODEL, max_retries=0, **place), embeddings


chat, embedder = {
    "chat-completions": of_openai,
    "messages": of_anthropic,
    "generate-content": of_google,
    "responses": of_openai,
}[FORMAT]()


def text_of(message):
    return message.text if isinstance(message.text, str) else message.text()


def answer():
    return text_of(chat.invoke(QUESTION))


def stream():
    return [text for text in map(text_of, chat.stream(QUESTION)) if text]


def tool():
    weather = tool_of(get_weather)
    model = chat.bind_tools([weather])
    task = HumanMessage(TASK)
    asks = model.invoke([task])
    results = [ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]) for call in asks.tool_calls]
    return text_of(model.invoke([task, asks, *results]))


def embeddings():
    return [embedder.embed_documents(TEXTS), [embedder.embed_query(text) for text in TEXTS]]


tell(answer=answer, stream=stream, tool=tool, embeddings=embedder and embeddings)
