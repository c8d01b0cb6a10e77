from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from trial import API_KEY, EMBEDDING_MODEL, MODEL, QUESTION, TASK, TEXTS, URL, get_weather, tell

place = {"api_base": f"{URL}/v1", "api_key": API_KEY, "max_retries": 0}
llm = OpenAILike(model=MODEL, is_chat_model=True, is_function_calling_model=True, **place)


def answer():
    return llm.complete(QUESTION).text


def stream():
    return [piece.delta for piece in llm.stream_complete(QUESTION) if piece.delta]


def tool():
    weather = FunctionTool.from_defaults(get_weather)
    messages = [ChatMessage(role="user", content=TASK)]
    asks = llm.chat_with_tools([weather], chat_history=messages)
    calls = llm.get_tool_calls_from_response(asks)
    results = [
        ChatMessage(role="tool", content=get_weather(**call.tool_kwargs), additional_kwargs={"tool_call_id": call.tool_id})
        for call in calls
    ]
    return llm.chat_with_tools([weather], chat_history=[*messages, asks.message, *results]).message.content


def embeddings():
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding

    embedder = OpenAILikeEmbedding(model_name=EMBEDDING_MODEL, **place)
    return [embedder.get_text_embedding_batch(TEXTS)]


tell(answer=answer, stream=stream, tool=tool, embeddings=EMBEDDING_MODEL and embeddings)
